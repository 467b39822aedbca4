"""The wheel as it is installed: a suite of numba-cuda under the plugin, `exec`, and `activate`."""

import subprocess
import sys

SUITE = """
import numpy as np
from numba import cuda


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


@cuda.jit
def reverse(values, has_barrier):
    tile = cuda.shared.array(64, dtype=np.int32)
    i = cuda.threadIdx.x
    tile[i] = values[i]
    if has_barrier:
        cuda.syncthreads()
    values[i] = tile[63 - i]


def run(has_barrier):
    values = cuda.to_device(np.arange(64, dtype=np.int32))
    reverse[1, 64](values, has_barrier)
    return values.copy_to_host()


def test_adds():
    a = np.arange(1000, dtype=np.float32)
    out = np.zeros_like(a)
    add[8, 128](a, a, out)
    assert np.array_equal(out, a + a)


def test_planted_race():
    run(False)


def test_after_the_race():
    assert np.array_equal(run(True), np.arange(64)[::-1])
"""


def test_a_race_fails_the_test_that_caused_it(pytester):
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess("--lanewise-checks=race,init")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*test_planted_race*", "race: *of shared memory that nothing orders*"])


def test_every_test_runs_with_each_seed(pytester):
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_subprocess("--lanewise", "--lanewise-seeds=3", "-k", "adds or after")
    result.assert_outcomes(passed=6)


def test_without_options_the_plugin_does_nothing(pytester, monkeypatch):
    # In a job that uses the action it is set for all programs.
    monkeypatch.delenv("LANEWISE_DEVICE", raising=False)
    pytester.makepyfile("def test_nothing():\n    import os\n    assert 'LANEWISE_DEVICE' not in os.environ")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_no_seeds_are_refused(pytester):
    result = pytester.runpytest_subprocess("--lanewise-seeds=0")
    result.stderr.fnmatch_lines(["*--lanewise-seeds: expected a number above 0"])


def lanewise(*arguments):
    return subprocess.run([sys.executable, "-m", "lanewise_cuda", *arguments], capture_output=True, text=True)


def test_exec_runs_a_program_without_cuda_in_it():
    program = "import ctypes; cuda = ctypes.CDLL('libcuda.so.1'); print(cuda.cuInit(0))"
    ran = lanewise("exec", "--", sys.executable, "-c", program)
    assert (ran.returncode, ran.stdout.splitlines()[0]) == (0, "0"), ran.stderr


def test_sanitize_reports_findings(pytester):
    path = pytester.makepyfile(SUITE + "\n\nif __name__ == '__main__':\n    run(False)\n")
    ran = lanewise("sanitize", "--tools", "race", "--", sys.executable, str(path))
    assert ran.returncode == 1 and "nothing orders" in ran.stdout, ran.stdout + ran.stderr


def test_what_is_loaded_later_is_this_driver():
    program = """
import ctypes, lanewise_cuda
lanewise_cuda.activate(model="rtx4090", seed=3)
cuda = ctypes.CDLL("libcuda.so.1")
name = ctypes.create_string_buffer(99)
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGetName(name, 99, 0) == 0
print(name.value.decode())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "4090" in ran.stdout, ran.stdout + ran.stderr
