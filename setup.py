"""Builds handik._core; everything else about the project is in pyproject.toml."""

import os
import shlex
import shutil
import sys
import sysconfig
import tomllib
from glob import glob
from pathlib import Path, PurePath

import numpy as np
from setuptools import Extension, setup

VERSION = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["version"]
ABI3 = not sysconfig.get_config_var("Py_GIL_DISABLED")  # free-threaded 3.13/3.14 have no stable ABI

# The kernels are written in the vectors of GCC and Clang, which Microsoft's compiler has not; with
# Clang for MinGW the core and its tests compile and pass (docs/machines.md), but nobody has built
# or run the Python module there.
if sys.platform == "win32":
    sys.exit(
        "handik cannot be installed on Windows yet: its core is compiled by Clang and tested, "
        "its Python module is not; under the Windows Subsystem for Linux it installs as on Linux"
    )

# Say at once, in a sentence, what a bare machine lacks: the compiler's words come late.
compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
header = Path(sysconfig.get_path("include"), "Python.h")
if shutil.which(compiler) is None or not header.is_file():
    lacking = "Python's headers" if shutil.which(compiler) else f"a C compiler ({compiler})"
    sys.exit(
        f"handik is built from C and needs {lacking}; "
        "on Debian: apt-get install gcc libc6-dev python3-dev python3-venv"
    )

macros = [
    ("HANDIK_VERSION", f'"{VERSION}"'),
    ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
    ("NPY_TARGET_VERSION", "NPY_1_25_API_VERSION"),
]
if ABI3:
    macros.append(("Py_LIMITED_API", "0x030b0000"))
# An undeclared function is a warning only to older compilers, and wrong pointers follow.
flags = shlex.split(
    "-std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden "
    "-pthread -Wall -Wextra -Werror=implicit-function-declaration -Werror=int-conversion "
    "-Werror=incompatible-pointer-types"
)
# Appended after our own -O3, so that a sanitizer or coverage build can lower it.
flags += shlex.split(os.environ.get("HANDIK_CFLAGS", ""))
link = shlex.split(os.environ.get("HANDIK_LDFLAGS", ""))
sources = sorted(
    f
    for f in glob("csrc/**/*.c", recursive=True)
    if not f.endswith(".inc.c") and not {"tests", "fuzz", "wasm"} & set(PurePath(f).parts)
)
setup(
    ext_modules=[
        Extension(
            "handik._core",
            sources=sources,
            depends=glob("csrc/**/*.h", recursive=True) + glob("csrc/**/*.inc.c", recursive=True),
            include_dirs=["csrc/include", "csrc", np.get_include()],
            define_macros=macros,
            extra_compile_args=flags,
            extra_link_args=["-pthread", *link],
            libraries=["m"],
            py_limited_api=ABI3,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if ABI3 else {},
)
