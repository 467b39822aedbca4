"""As much of a GitHub runner as a composite action needs, and a job that uses one.

`runner.py ACTION WHEEL` runs the action's steps, and then programs in the environment that they have made. `runner.py WORKFLOW JOB` runs the
steps of a job; what a step named "Build" makes is taken as it is if it is there.
"""

import glob
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

RACE = """
import numpy as np
from numba import cuda

@cuda.jit(lineinfo=True)
def reverse(values):
    tile = cuda.shared.array(64, dtype=np.int32)
    tile[cuda.threadIdx.x] = values[cuda.threadIdx.x]
    values[cuda.threadIdx.x] = tile[63 - cuda.threadIdx.x]

values = cuda.to_device(np.arange(64, dtype=np.int32))
reverse[1, 64](values)
cuda.synchronize()
"""

NAME = """
import ctypes
cuda, name = ctypes.CDLL("libcuda.so.1"), ctypes.create_string_buffer(99)
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGetName(name, 99, 0) == 0
print(name.value.decode())
"""


def run(action, inputs, folder, environment):
    """Runs the steps of a composite action, and returns the environment of later steps and the action's outputs."""
    text = yaml.safe_load((action / "action.yml").read_text())
    assert text["runs"]["using"] == "composite"
    values = {name: inputs.pop(name, given.get("default", "")) for name, given in text["inputs"].items()}
    assert not inputs, f"the action has no such inputs: {inputs}"
    known = {f"inputs.{name}": value for name, value in values.items()} | {"github.action_path": str(action.resolve())}
    for step in text["runs"]["steps"]:
        files = {name: folder / name for name in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("")
        own = {name: expanded(value, known) for name, value in step.get("env", {}).items()}
        own |= {name: str(file) for name, file in files.items()}
        shell(expanded(step["run"], known), environment | own)
        environment = environment | assignments(files["GITHUB_ENV"])
        for path in files["GITHUB_PATH"].read_text().splitlines():
            environment["PATH"] = f"{path}:{environment['PATH']}"
        outputs = assignments(files["GITHUB_OUTPUT"])
        known |= {f"steps.{step['id']}.outputs.{name}": value for name, value in outputs.items()}
    return environment, {name: expanded(output["value"], known) for name, output in text["outputs"].items()}


def shell(text, environment):
    subprocess.run(["bash", "-e", "-o", "pipefail", "-c", text], env=environment, check=True)


def job(workflow, name):
    """Runs the steps of a job of a workflow, in this folder."""
    steps = yaml.safe_load(pathlib.Path(workflow).read_text())["jobs"][name]["steps"]
    wanted = [step.get("with", {}).get(kind, "").split() for step in steps for kind in ("archive", "wheel")]
    is_built = all(glob.glob(words[0]) for words in wanted if words)
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, RUNNER_TEMP=folder)
        for step in steps:
            if step.get("uses", "").startswith("./"):
                inputs = dict(step.get("with", {}))
                environment, _ = run(pathlib.Path(step["uses"]), inputs, pathlib.Path(folder), environment)
            elif "run" in step and not (step.get("name") == "Build" and is_built):
                print(f"{name}: {step['run']}", flush=True)
                shell(step["run"], environment)


def assignments(file):
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


def expanded(text, known):
    return re.sub(r"\$\{\{ *(\S+) *\}\}", lambda found: known[found[1]], str(text))


def program(text, environment):
    return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True)


def check(action, wheel):
    with tempfile.TemporaryDirectory() as folder:
        inputs = {"wheel": str(pathlib.Path(wheel).resolve()), "checks": "race", "model": "rtx4090"}
        environment = dict(os.environ, RUNNER_TEMP=folder, GITHUB_STEP_SUMMARY=f"{folder}/summary.md")
        environment, outputs = run(pathlib.Path(action), inputs, pathlib.Path(folder), environment)
        assert (pathlib.Path(outputs["driver"]) / "libcuda.so.1").is_file(), outputs
        named = program(NAME, environment)
        assert "4090" in named.stdout, named
        raced = program(RACE, environment)
        assert raced.returncode != 0 and "nothing orders" in raced.stderr, raced
        with open(pathlib.Path(folder) / "race.py", "w") as file:
            file.write(RACE)
        sanitized = subprocess.run(
            ["lanewise", "sanitize", "--github", "--", sys.executable, file.name], env=environment, capture_output=True, text=True
        )
        assert sanitized.returncode == 1 and "::error file=" in sanitized.stdout, sanitized
        summary = pathlib.Path(environment["GITHUB_STEP_SUMMARY"]).read_text()
        assert summary.startswith("### lanewise: ") and "nothing orders" in summary, summary
    print("action: the driver is found, a race fails its program, and is annotated")


first, second = sys.argv[1:]
(job if first.endswith(".yml") else check)(first, second)
