"""As much of a GitHub runner as a composite action needs: it runs the action's steps and then programs in the environment that
they have made. `runner.py ACTION WHEEL`.
"""

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


def run(action, inputs, folder):
    """Runs the steps of a composite action, and returns the environment of later steps and the action's outputs."""
    text = yaml.safe_load((action / "action.yml").read_text())
    assert text["runs"]["using"] == "composite"
    values = {name: inputs.pop(name, given.get("default", "")) for name, given in text["inputs"].items()}
    assert not inputs, f"the action has no such inputs: {inputs}"
    known = {f"inputs.{name}": value for name, value in values.items()} | {"github.action_path": str(action.resolve())}
    environment = dict(os.environ, RUNNER_TEMP=str(folder))
    for step in text["runs"]["steps"]:
        files = {name: folder / name for name in ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("")
        own = {name: expanded(value, known) for name, value in step.get("env", {}).items()}
        own |= {name: str(file) for name, file in files.items()}
        subprocess.run(["bash", "-e", "-o", "pipefail", "-c", expanded(step["run"], known)], env=environment | own, check=True)
        environment |= assignments(files["GITHUB_ENV"])
        for path in files["GITHUB_PATH"].read_text().splitlines():
            environment["PATH"] = f"{path}:{environment['PATH']}"
        outputs = assignments(files["GITHUB_OUTPUT"])
        known |= {f"steps.{step['id']}.outputs.{name}": value for name, value in outputs.items()}
    return environment, {name: expanded(output["value"], known) for name, output in text["outputs"].items()}


def assignments(file):
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


def expanded(text, known):
    return re.sub(r"\$\{\{ *(\S+) *\}\}", lambda found: known[found[1]], str(text))


def program(text, environment):
    return subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True)


def main(action, wheel):
    with tempfile.TemporaryDirectory() as folder:
        inputs = {"wheel": str(pathlib.Path(wheel).resolve()), "checks": "race", "model": "rtx4090"}
        environment, outputs = run(pathlib.Path(action), inputs, pathlib.Path(folder))
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
    print("action: the driver is found, a race fails its program, and is annotated")


main(*sys.argv[1:])
