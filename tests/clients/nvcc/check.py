"""Compiles a CUDA source to PTX, runs its kernels, and compares with numpy: `check.py FILE.cu CHECKS.py`. In place of a file, a
folder of them is compiled as one source.

CHECKS.py has functions `check_*(module, random)`. It may have `prepare(text)`, which gets the source and gives what is to
be compiled: for sources that hold more than kernels. And `VARIANTS`, lists of further options, if it is to be compiled several times.
"""

import importlib.util
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import time

import numpy as np

import device


def read(source):
    """The text of a file, or of all files in a folder with their includes first."""
    if source.is_file():
        return source.read_text()
    text = "\n".join(file.read_text() for file in sorted(source.rglob("*.cu")))
    lines = text.splitlines()
    includes = dict.fromkeys(line for line in lines if line.startswith("#include"))
    return "\n".join([*includes, *(line for line in lines if line not in includes)])


def compiled(source, prepare, variant):
    """The PTX of a source, compiled with a variant's options too."""
    root = pathlib.Path(sysconfig.get_path("purelib")) / "nvidia" / "cu13"
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "kernels.cu"
        text.write_text(prepare(read(source)))
        ptx = text.with_suffix(".ptx")
        options = ["-ptx", "-arch=sm_90", "-std=c++17", *variant, f"-I{root / 'include'}", f"-I{root / 'include' / 'cccl'}"]
        subprocess.run([root / "bin" / "nvcc", *options, "-o", ptx, text], check=True)
        return ptx.read_bytes()


def main(source, checks):
    specification = importlib.util.spec_from_file_location("checks", checks)
    checks = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(checks)
    failed = 0
    for variant in getattr(checks, "VARIANTS", [["-lineinfo"]]):
        module = device.Module(compiled(pathlib.Path(source), getattr(checks, "prepare", lambda text: text), variant))
        title = f"{pathlib.Path(source).name} {variant[0]}"
        for name, check in vars(checks).items():
            if name.startswith("check_"):
                start = time.monotonic()
                try:
                    check(module, np.random.default_rng(1))
                    what = "ok"
                except (AssertionError, RuntimeError) as error:
                    failed += 1
                    what = f"FAILED: {error}"
                print(f"{title} {name.removeprefix('check_')}: {what} ({time.monotonic() - start:.2f} s)")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) > 0)
