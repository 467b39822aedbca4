"""numba-cuda's own tests on Lanewise's driver: how many pass, fail and are skipped.

`tests/clients/numba/run` calls this. A day's run takes what is done in about a minute; `--all` takes every module, an hour of
simulation. A failure that is not expected below ends it with an error.
"""

import importlib
import pkgutil
import sys
import unittest
import warnings

import numba.cuda.tests
import pytest

ROOT = "numba.cuda.tests."

# Modules whose tests are done in seconds.
DAY = [
    "cudadrv.test_array_attr", "cudadrv.test_context_stack", "cudadrv.test_cuda_array_slicing",
    "cudadrv.test_cuda_auto_context", "cudadrv.test_cuda_devicerecord", "cudadrv.test_cuda_driver",
    "cudadrv.test_cuda_memory", "cudadrv.test_cuda_ndarray", "cudadrv.test_deallocations", "cudadrv.test_emm_plugins",
    "cudadrv.test_events", "cudadrv.test_host_alloc", "cudadrv.test_inline_ptx", "cudadrv.test_is_fp16",
    "cudadrv.test_linkable_code", "cudadrv.test_module_callbacks", "cudadrv.test_nvjitlink", "cudadrv.test_nvrtc",
    "cudadrv.test_nvvm_driver", "cudadrv.test_pinned", "cudadrv.test_profiler", "cudadrv.test_runtime",
    "cudadrv.test_select_device", "cudadrv.test_streams",
    "doc_examples.test_cpointer", "doc_examples.test_cpu_gpu_compat", "doc_examples.test_ffi",
    "doc_examples.test_globals", "doc_examples.test_reduction", "doc_examples.test_ufunc", "doc_examples.test_vecadd",
    "nocuda.test_dummyarray", "nocuda.test_function_resolution", "nocuda.test_library_lookup", "nocuda.test_nvvm",
    "core.test_itanium_mangler",
    "cudapy.test_alignment", "cudapy.test_array_args", "cudapy.test_boolean", "cudapy.test_byteflow",
]  # fmt: skip

# What is not run at all, and why.
LEFT_OUT = {
    "cudadrv.test_managed_alloc": "fills as much memory as the device has, which the host has not",
    "cudapy.test_array_methods": "NVRTC needs CCCL's headers",
    "cudapy.test_array_reductions": "NVRTC needs CCCL's headers",
    "nrt.test_nrt": "NVRTC needs CCCL's headers",
    "nrt.test_nrt_refct": "NVRTC needs CCCL's headers",
}

# Tests that end in a fault, by the end of their names: it takes the context with it, and every test behind it in this process.
FAULTY = {
    "TestAcceleratedArchitecture.test_device_arch_specific": "writes a tensor map of 128 bytes to a shared array of 4",
}

# By the end of the test's name.
EXPECTED = {
    "TestLinker.test_get_const_mem_size": "a function's constant memory is not counted",
    "TestLinker.test_set_registers_eager": "registers are estimated; the compiler's limit is not heeded",
    "TestLinker.test_set_registers_38": "as above",
    "TestLinker.test_set_registers_57": "as above",
}


class Result(unittest.TestResult):
    """Counts a skip by pytest's means as one, as pytest would."""

    def addError(self, test, err):
        if issubclass(err[0], pytest.skip.Exception):
            self.addSkip(test, str(err[1]))
        else:
            super().addError(test, err)


def modules(everything):
    """The modules to run, without those that are left out."""
    if not everything:
        return DAY
    found = pkgutil.walk_packages(numba.cuda.tests.__path__, ROOT)
    names = (module.name.removeprefix(ROOT) for module in found)
    return [name for name in names if name.rpartition(".")[2].startswith("test_") and name not in LEFT_OUT]


def without_faulty(tests):
    """The tests of a suite, one by one, but for those that are known to end in a fault."""
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from without_faulty(test)
        elif not any(test.id().endswith(end) for end in FAULTY):
            yield test


def main():
    warnings.simplefilter("ignore")
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    names = modules("--all" in sys.argv[1:])
    for name in names:
        try:
            suite.addTests(without_faulty(loader.loadTestsFromModule(importlib.import_module(ROOT + name))))
        except unittest.SkipTest as reason:
            print(f"{name}: skipped: {reason}")
    result = Result()
    result.buffer = True  # what tests print is shown with a failure, if it is not expected
    suite.run(result)
    failed = {test.id(): text for test, text in result.failures + result.errors}
    expected = {name for name in failed if any(name.endswith(end) for end in EXPECTED)}
    unexpected = sorted(set(failed) - expected)
    passed = result.testsRun - len(failed) - len(result.skipped)
    print(
        f"numba-cuda's own tests, {len(names)} modules: {passed} passed, {len(failed)} failed "
        f"({len(expected)} as expected), {len(result.skipped)} skipped"
    )
    for name in unexpected:
        print(f"unexpected: {name}\n{failed[name]}")
    sys.exit(1 if unexpected else 0)


if __name__ == "__main__":
    main()
