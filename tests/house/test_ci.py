"""What a host of repositories runs is what .ci/run runs, with a Python and a Java that the jobs run on."""

import re

import yaml

from jobs.preflight import PYTHONS
from tests.house.source import REPOSITORY

WORKFLOW = REPOSITORY / ".github" / "workflows" / "ci.yml"


def test_the_workflow_runs_the_same_commands() -> None:
    read = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    ((job, steps),) = [(one, one["steps"]) for one in read["jobs"].values()]
    ours = re.findall(r"^make .*$", (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8"), re.M)
    assert ours and [one["run"] for one in steps if one.get("run", "").startswith("make ")] == ours
    assert read["permissions"] == {"contents": "read"} and job["timeout-minutes"]
    given = {name: value for one in steps for name, value in one.get("with", {}).items()}
    assert tuple(map(int, given["python-version"].split("."))) in PYTHONS
    assert given["java-version"] in {"17", "21"}
