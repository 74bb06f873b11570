"""Runs the AVX-512 kernels under Bochs, which knows those instructions, on any processor: hashes and C tests.

`python tests/bochs.py --kernel VMLINUZ [--only NAME] [--tests]` boots Debian's kernel with our programs as its only
processes. --only: the entries of hashes.csv whose names begin with NAME; --tests: the C tests that name the set
instead of the hashes. See docs/machines.md for what must be installed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from _machines import HOST, PROGRAM, Cross, Machine, kept
from _native import CSRC, call, program_sources

STATIC = Machine("bochs", HOST, ("-O3",), link=("-static", "-pthread", "-lm"), runner=("bochs",))
TOOLS = ("bochs", "xorriso", "cpio")
LOADER = ("ISOLINUX/isolinux.bin", "syslinux/modules/bios/ldlinux.c32")
# Bochs 2.7 states the size of the compacted XSAVE area wrongly; Linux then does without XSAVE, hence without AVX.
# The two last words keep Linux from that format (321: xsavec).
BOOT = """DEFAULT t
PROMPT 0
LABEL t
 KERNEL vmlinuz
 APPEND initrd=initrd quiet mitigations=off noxsaves clearcpuid=321
"""
SETTINGS = """display_library: rfb, options="timeout=0"
cpu: model=corei7_skylake_x, count=1, ips=200000000
memory: guest=512, host=512
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=machine.iso, status=inserted
boot: cdrom
log: bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
port_e9_hack: enabled=1
clock: sync=none
"""


def disc(folder: Path, kernel: Path, loader: Path, programs: list[Path], lines: list[str]) -> None:
    """Write machine.iso, which runs the lines."""
    root, image = folder / "root", folder / "image"
    (root / "dev").mkdir(parents=True)
    image.mkdir()
    call([*HOST, "-O1", "-static", str(CSRC / "tests" / "bochs_init.c"), "-o", str(root / "init")])
    for program in programs:
        shutil.copy(program, root)
    (root / "list").write_text("\n".join(lines) + "\n", "utf-8")
    names = "\n".join(p.relative_to(root).as_posix() for p in sorted(root.rglob("*")))
    packed = subprocess.run(
        ["cpio", "-o", "-H", "newc", "--quiet"],
        input=names.encode(),
        cwd=root,
        capture_output=True,
        check=True,
    )
    (image / "initrd").write_bytes(packed.stdout)
    shutil.copy(kernel, image / "vmlinuz")
    for name in LOADER:
        shutil.copy(loader / name, image)
    (image / "isolinux.cfg").write_text(BOOT, "utf-8")
    plain = ("-no-emul-boot", "-boot-load-size", "4", "-boot-info-table")
    made = ("-o", str(folder / "machine.iso"), "-b", "isolinux.bin", "-c", "boot.cat")
    call(["xorriso", "-as", "mkisofs", "-quiet", *made, *plain, str(image)])


def emulate(folder: Path) -> list[str]:
    """Run the machine; return the lines that its programs said."""
    (folder / "bochsrc").write_text(SETTINGS, "utf-8")
    done = subprocess.run(
        ["bochs", "-q", "-f", "bochsrc"],
        input="c\n",  # Debian's Bochs has a debugger, which waits for "continue"
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd=folder,
    )
    lines = done.stdout.splitlines()
    if "=end" not in lines:
        raise SystemExit(f"the machine did not get to its end:\n{done.stdout[-1500:]}")
    return lines


def main() -> int:
    """Boot, run, compare; the exit status is 1 where something differs or fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kernel", type=Path, required=True)
    parser.add_argument("--loader", type=Path, default=Path("/usr/lib"), help="where isolinux is")
    parser.add_argument("--only", default="")
    parser.add_argument("--tests", action="store_true")
    args = parser.parse_args()
    lacking = [tool for tool in TOOLS if shutil.which(tool) is None]
    lacking += [name for name in LOADER if not (args.loader / name).is_file()]
    if lacking:
        raise SystemExit(f"not on this machine: {', '.join(lacking)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cross = Cross(folder / "objects", "plain", machine=STATIC)
        sources = [PROGRAM]
        lines = [f"/{PROGRAM.stem} avx512 {args.only}"]
        if args.tests:
            sources = [s for s in program_sources() if '"avx512"' in s.read_text("utf-8")]
            lines = [f"/{s.stem}" for s in sources]
        disc(folder, args.kernel, args.loader, [cross.program(s) for s in sources], lines)
        said = emulate(folder)
    bad = [line for line in said if re.match(r"=status [1-9]", line)]
    if args.tests:
        print("\n".join(line for line in said if line.startswith("=status")))
        return bool(bad)
    now = dict(re.findall(r"^([\w/]+),([0-9a-f]{16})$", "\n".join(said), re.M))
    expected = {n: h for n, (h, _) in kept().items() if n.startswith(args.only)}
    wrong = sorted(n for n in now.keys() | expected.keys() if now.get(n) != expected.get(n))
    print(f"{len(now)} entries, {len(wrong)} differ {wrong[:8]}", *bad)
    return bool(wrong or bad or not now)


if __name__ == "__main__":
    sys.exit(main())
