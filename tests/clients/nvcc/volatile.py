"""The race check reports the kernels of volatile.cu whose names end in `wrong`, and no others."""

import os
import tempfile

import numpy as np

import device

os.environ["LANEWISE_CHECKS"] = "race"


def check_reports(module, random):
    for name in module.names:
        ran, report = run(device.Module(module.ptx), name)
        if name.endswith("wrong"):
            assert not ran and "volatile: " in report, f"{name} is not reported: {report}"
        else:
            assert ran and not report, f"{name} is reported: {report}"


def run(module, name):
    """Returns whether the kernel ran to its end, and what was written to stderr. A finding ends the context."""
    out, values = np.zeros(1024, np.int32), np.arange(1024, dtype=np.int32)
    with tempfile.TemporaryFile("w+") as file:
        saved = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            module.launch(name, 2 if name.startswith("blocks") else 1, 256, out, values)
            ran = True
        except RuntimeError:
            ran = False
            module.reset()
        finally:
            os.dup2(saved, 2)
            os.close(saved)
        file.seek(0)
        return ran, file.read()
