"""A simulated GPU behind CUDA's driver API.

`activate()` makes the libraries that are imported later find it::

    import lanewise_cuda

    lanewise_cuda.activate(checks="race,init")
    from numba import cuda
"""

import ctypes
import os
import pathlib

__all__ = ["activate", "driver_folder", "library", "program"]

_BIN = pathlib.Path(__file__).parent / "bin"
_NAME = "libcuda.so.1"
_loaded = None


def driver_folder():
    """The folder with the driver alone, for `LD_LIBRARY_PATH`."""
    return _BIN / "lanewise-driver"


def library():
    """The path of the driver, `libcuda.so.1`."""
    return driver_folder() / _NAME


def program():
    """The path of the program `lanewise`, with its commands `exec` and `sanitize`."""
    return _BIN / "lanewise"


def activate(*, checks=None, model=None, seed=None, report=False):
    """Loads the driver into this process, in place of NVIDIA's.

    Call it before the first import of a library that uses CUDA. What such a library then loads by the name `libcuda.so.1`
    is this driver, for the loader knows a library by that name already.

    `checks` are those of each launch, such as `"race,init"` or `"all"`; with `report` a finding is printed, and without it
    the launch fails. `model` is the GPU to simulate, such as `"rtx4090"`; `seed` orders the warps. Each may also be set in
    the environment: `LANEWISE_CHECKS`, `LANEWISE_MODEL`, `LANEWISE_SEED`.

    Raises `RuntimeError` if another driver was loaded before.
    """
    global _loaded
    settings = {
        "LANEWISE_DEVICE": "sim",
        "LANEWISE_CHECKS": checks,
        "LANEWISE_MODEL": model,
        "LANEWISE_SEED": seed,
        "LANEWISE_CHECKS_ACTION": "report" if report else None,
    }
    for name, value in settings.items():
        if value is not None:
            os.environ[name] = str(value)
    # numba-cuda looks for a file; others ask the loader for a name.
    os.environ["NUMBA_CUDA_DRIVER"] = str(library())
    if _loaded is None:
        with open("/proc/self/maps") as maps:
            other = next((line.split()[-1] for line in maps if "/libcuda.so" in line and str(_BIN) not in line), None)
        if other:
            raise RuntimeError(f"activate() came too late: {other} is loaded already")
        _loaded = ctypes.CDLL(str(library()), mode=ctypes.RTLD_GLOBAL)
        _loaded.lanewise_set_seed.argtypes = [ctypes.c_uint64]
        _loaded.lanewise_set_seed.restype = None
        _loaded.lanewise_write_summary.argtypes = [ctypes.c_char_p]
    return _loaded
