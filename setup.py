"""Builds handik._core; everything else about the project is in pyproject.toml."""

import os
import shlex
import sys
import sysconfig
import tomllib
from glob import glob
from pathlib import Path, PurePath

import numpy as np
from setuptools import Extension, setup

VERSION = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["version"]
ABI3 = not sysconfig.get_config_var("Py_GIL_DISABLED")  # free-threaded 3.13/3.14 have no stable ABI
MSVC = sys.platform == "win32"

macros = [
    ("HANDIK_VERSION", f'"{VERSION}"'),
    ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
    ("NPY_TARGET_VERSION", "NPY_1_25_API_VERSION"),
]
if ABI3:
    macros.append(("Py_LIMITED_API", "0x030b0000"))
# An undeclared function is only a warning to older compilers, and wrong pointers follow:
# make it an error.
flags = (
    ["/O2", "/fp:precise", "/std:c11"]
    if MSVC
    else shlex.split(
        "-std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fvisibility=hidden "
        "-pthread -Wall -Wextra -Werror=implicit-function-declaration -Werror=int-conversion "
        "-Werror=incompatible-pointer-types"
    )
)
# Appended after our own -O3, so that a sanitizer or coverage build can lower it.
flags += shlex.split(os.environ.get("HANDIK_CFLAGS", ""))
link = shlex.split(os.environ.get("HANDIK_LDFLAGS", ""))
sources = sorted(
    f
    for f in glob("csrc/**/*.c", recursive=True)
    if not f.endswith(".inc.c") and not {"tests", "fuzz"} & set(PurePath(f).parts)
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
            extra_link_args=link if MSVC else ["-pthread", *link],
            libraries=[] if MSVC else ["m"],
            py_limited_api=ABI3,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if ABI3 else {},
)
