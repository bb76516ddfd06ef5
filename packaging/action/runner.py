"""Runs the steps of a composite action as GitHub's runner does: inputs, environment, outputs, and the files they are told by."""
import os
import re
import subprocess

import yaml


def read_pairs(path):
    return dict(line.split("=", 1) for line in path.read_text().splitlines())


def run(action, temporary, inputs):
    """Returns the exit code, what was printed, the outputs of the action, and the environment of the steps behind it."""
    description = yaml.safe_load((action / "action.yml").read_text())
    values = {name: str(one.get("default", "")) for name, one in description["inputs"].items()} | inputs
    files = {name: temporary / name for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH")}
    steps = {}

    def evaluated(text):
        def value(match):
            path = match.group(1).split(".")
            return values[path[1]] if path[0] == "inputs" else steps[path[1]][path[3]]
        return re.sub(r"\$\{\{ ([a-z.]+) \}\}", value, text)

    printed = ""
    for step in description["runs"]["steps"]:
        for path in files.values():
            path.touch()
        environment = {**os.environ, **{name: str(path) for name, path in files.items()}, "RUNNER_TEMP": str(temporary),
                       "GITHUB_ACTION_PATH": str(action), **{name: evaluated(text) for name, text in step["env"].items()}}
        outcome = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], env=environment, text=True,
                                 check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        printed += outcome.stdout
        if outcome.returncode != 0:
            return outcome.returncode, printed, {}, {}
        steps[step["id"]] = read_pairs(files["GITHUB_OUTPUT"])
    outputs = {name: evaluated(one["value"]) for name, one in description["outputs"].items()}
    return 0, printed, outputs, read_pairs(files["GITHUB_ENV"])


