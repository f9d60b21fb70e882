"""An assistant's own client lists the tools and gets answers with their lines, over stdin and stdout."""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from jobs.assistants import command
from jobs.assistants.asked import OF_RUNS, AskedLogs, only_cluster
from jobs.bounded_answers import MOST
from jobs.incident.command import in_haste
from jobs.incident.following.clusters import HeldClusters
from jobs.incident.following.stream import FollowedLogs
from jobs.incident.progress import ProgressLine
from jobs.questions.catalog import QUESTIONS
from jobs.settings.load import load_settings
from pipeline.core.errors import InputProblem
from pipeline.core.stored_tables import MemoryTables
from pipeline.views.reading.answers import Answers
from tests.conftest import REPOSITORY
from tests.golden import CLUSTER

LINE = "[2026-11-21 08:00:00,100] INFO [Controller id=1] Resigning (kafka.controller.KafkaController)"
OTHER = LINE.replace(
    "Resigning",
    "1 successfully elected as the controller. Epoch incremented to 7 and epoch zk version is now 7",
)
# Of each call what stands in the answer, and whether it is an error.
CALLS: list[tuple[str, dict[str, Any], str, bool]] = [
    ("status", {}, f'"cluster_id": "{CLUSTER}"', False),
    ("findings", {"cluster": CLUSTER}, '"number": 1', False),
    ("who_was_controller", {}, "the controller was", False),
    ("who_was_controller", {}, "controller.log", False),
    ("why_leaderless", {"topic": "nope", "partition": 0}, "a partition nope-0 in the logs read", True),
    ("why_leaderless", {}, "topic", True),
    ("stuck", {"broker": 3}, "Extra inputs are not permitted", True),
    ("what_happened", {"at": "--help"}, "found '--help'", True),
    ("explain", {"line": LINE}, "resign", False),
    ("explain", {"line": "x" * 200_000}, "at most 100,000 characters", True),
    ("show", {"finding": "F99"}, "a finding F99", True),
    ("changes", {"since": "00:00", "until": "23:59:59"}, "that people or tools asked for since", False),
    ("playbook", {"rule": "outages"}, "a rule such as outage", True),
    ("playbook", {"rule": "F1"}, "WHAT", False),
    ("findings", {"severity": "worst"}, "critical", True),
    ("findings", {"severity": "warning", "cursor": 1}, '"number": 2', False),
    ("gauges", {}, "count", False),
    ("what_happened", {"all": True}, "next_cursor", False),
    ("runs", {}, "run", False),
]


async def told(
    given: Sequence[str], calls: Sequence[tuple[str, dict[str, Any]]]
) -> tuple[list[Any], list[Any]]:
    served = StdioServerParameters(command=sys.executable, args=["-m", "jobs", "mcp", *given], cwd=REPOSITORY)
    async with Client(served) as client:
        tools = (await client.list_tools()).tools
        return tools, [await client.call_tool(name, arguments) for name, arguments in calls]


def text_of(answer: Any) -> str:
    return "".join(one.text for one in answer.content)


def test_an_assistant_is_answered(golden: Path) -> None:
    tools, answers = asyncio.run(told(["--warehouse", str(golden)], [one[:2] for one in CALLS]))
    questions = {one.replace("-", "_") for one in QUESTIONS}
    assert {tool.name for tool in tools} == {"status", "findings", "playbook", "explain", *questions}
    for (name, given, said, is_error), answer in zip(CALLS, answers, strict=True):
        text = text_of(answer)
        assert said in text and bool(answer.is_error) == is_error, (name, given, text[:300])
        assert len(text) <= MOST and not answer.structured_content  # the same text once more
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
    schema = next(tool.input_schema for tool in tools if tool.name == "why_leaderless")
    assert schema["required"] == ["topic", "partition"]
    assert schema["properties"]["partition"]["type"] == "integer"
    # What an assistant reads before it asks anything.
    assert sum(len(tool.description) + len(json.dumps(tool.input_schema)) for tool in tools) < 14_000


def test_logs_are_asked_without_a_warehouse_and_as_they_grow(tmp_path: Path) -> None:
    log = tmp_path / "controller.log"
    log.write_text(f"{OTHER}\n")
    settings, seconds = in_haste(load_settings(None, {}, {}, None)), iter(range(0, 100, 4))
    logs = FollowedLogs([str(tmp_path)], settings, tmp_path, ProgressLine(is_terminal=False))
    asked = AskedLogs(HeldClusters(logs, settings, "c", 1 << 30), lambda: float(next(seconds)))
    assert len(asked.answers(None)[0].rows("bronze.log_record")) == 1
    with log.open("a") as stream:
        stream.write(f"{OTHER.replace('08:00', '08:01')}\n")
    assert len(asked.answers("c")[0].rows("bronze.log_record")) == 1  # seconds later
    assert len(asked.answers("c", is_on=True)[0].rows("bronze.log_record")) == 1
    assert len(asked.answers("c")[0].rows("bronze.log_record")) == 2
    assert asked.left_out == OF_RUNS


def test_what_an_assistant_is_told_of_a_problem_is_short_and_printable(tmp_path: Path) -> None:
    names = [f"c{number}\x1b[31m {'x' * 200}" for number in range(2000)]
    logs = FollowedLogs(
        [str(tmp_path)], load_settings(None, {}, {}, None), tmp_path, ProgressLine(is_terminal=False)
    )
    asked = AskedLogs(HeldClusters(logs, logs.settings, None, 1 << 30))
    asked.found = {one: Answers(one, MemoryTables()) for one in names}
    for ask in (lambda: asked.chosen("\x1b" * 50_000), lambda: only_cluster([*asked.found.values()])):
        with pytest.raises(RuntimeError) as told_so:
            command.wrap_tool_errors(ask, RuntimeError)()
        said = str(told_so.value)
        assert len(said) <= 2_000 and said.isprintable() and "1,990 more; name one of them" in said


def test_a_problem_of_any_length_is_told_in_two_thousand_characters() -> None:
    def ask() -> None:
        raise InputProblem(expected="y\n" * 5_000, found="", todo="")

    with pytest.raises(RuntimeError, match=r"^Expected y.{1989}…$"):
        command.wrap_tool_errors(ask, RuntimeError)()


@pytest.mark.parametrize("given", [["--cluster", "c"], ["--run-id", "c"], ["--zone", "UTC"], ["--logs", "-"]])
def test_a_choice_that_it_would_not_keep_to_is_refused(given: list[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(given)
