"""A pytest plugin: `pytest --lanewise` runs the tests on the simulated GPU, and a finding of its checks fails the test that
caused it, with the report.

A finding does not end the launch, so the tests that follow run as if there were none. With `--lanewise-seeds=N` every test
runs N times, each with another order of warps.
"""

import json
import os
import pathlib
import tempfile

import pytest

import lanewise_cuda

_SEED = "lanewise_seed"


def pytest_addoption(parser):
    group = parser.getgroup("lanewise", "CUDA on a simulated GPU")
    group.addoption("--lanewise", action="store_true", help="run CUDA on the simulated GPU, with all checks")
    group.addoption("--lanewise-checks", metavar="LIST", help="the checks, such as `race,init`; implies --lanewise")
    group.addoption("--lanewise-model", metavar="NAME", help="the GPU to simulate, such as `h200`; implies --lanewise")
    group.addoption("--lanewise-seeds", metavar="N", type=int, help="run each test with N orders of warps; implies --lanewise")


def pytest_configure(config):
    options = [config.getoption(f"lanewise_{name}") for name in ("checks", "model", "seeds")]
    if not config.getoption("lanewise") and all(option is None for option in options):
        return
    checks, model, seeds = options
    if seeds is not None and seeds < 1:
        raise pytest.UsageError("--lanewise-seeds: expected a number above 0")
    # The driver keeps a summary for a program that asks for one; it is read after each test.
    folder = tempfile.TemporaryDirectory(prefix="lanewise-")
    os.environ["LANEWISE_COUNTERS"] = str(pathlib.Path(folder.name) / "at-the-end.json")
    os.environ.setdefault("LANEWISE_LOG", "off")
    library = lanewise_cuda.activate(checks=checks or "all", model=model, report=True)
    config.pluginmanager.register(Findings(library, folder, seeds or 1), "lanewise-findings")


@pytest.fixture
def lanewise_seed(request):
    """The seed of this run of the test, one of those of `--lanewise-seeds`."""
    return getattr(request, "param", 0)


class Findings:
    """Fails the tests that cause findings."""

    def __init__(self, library, folder, seeds):
        self.library, self.folder, self.seeds = library, folder, seeds
        self.known = {}

    def pytest_generate_tests(self, metafunc):
        if self.seeds > 1:
            if _SEED not in metafunc.fixturenames:
                metafunc.fixturenames.append(_SEED)
            metafunc.parametrize(_SEED, range(self.seeds), indirect=True, ids=lambda seed: f"seed{seed}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        callspec = getattr(item, "callspec", None)
        self.library.lanewise_set_seed(callspec.params.get(_SEED, 0) if callspec else 0)
        self.new()
        outcome = yield
        reports = self.new()
        if reports:
            pytest.fail("\n\n".join(reports), pytrace=False)
        return outcome

    def new(self):
        """Returns the reports of what was found since the last call."""
        self.library.cuCtxSynchronize()
        path = pathlib.Path(self.folder.name) / "summary.json"
        if self.library.lanewise_write_summary(os.fsencode(path)):
            raise RuntimeError(f"the driver cannot write `{path}`")
        summary = json.loads(path.read_text())
        found = [finding for kernel in summary["kernels"] for finding in kernel["findings"]] + summary["host"]
        counts = {}
        for finding in found:
            counts[finding["report"]] = counts.get(finding["report"], 0) + finding["count"]
        reports = [report for report, count in counts.items() if count > self.known.get(report, 0)]
        self.known = counts
        return reports
