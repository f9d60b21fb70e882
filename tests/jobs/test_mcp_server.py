"""An assistant's own client lists the tools and gets answers with their lines, over stdin and stdout."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from jobs import mcp_server
from jobs.bounded_answers import MOST
from tests.conftest import REPOSITORY
from tests.golden import CLUSTER

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("status", {}),
    ("findings", {"cluster": CLUSTER}),
    ("ask", {"question": "who-was-controller"}),
    ("ask", {"question": "why-leaderless", "topic": "nope", "partition": 0}),
    ("ask", {"question": "why-leaderless"}),
    ("ask", {"question": "stuck", "broker": 3}),
    ("ask", {"question": "what-happened", "at": "--help"}),
    (
        "explain",
        {
            "line": "[2026-11-21 08:00:00,100] INFO [Controller id=1] Resigning (kafka.controller.KafkaController)"
        },
    ),
    ("show", {"finding": "F99"}),
    ("ask", {"question": "changes", "since": "00:00", "until": "23:59:59"}),
    ("playbook", {"rule": "outages"}),
    ("playbook", {"rule": "F1"}),
    ("findings", {"severity": "worst"}),
    ("findings", {"severity": "warning", "cursor": 1}),
    ("ask", {"question": "gauges"}),
    ("ask", {"question": "what-happened", "all": True}),
]


async def told(warehouse: Path) -> tuple[list[Any], list[Any]]:
    served = StdioServerParameters(
        command=sys.executable, args=["-m", "jobs", "mcp", "--warehouse", str(warehouse)], cwd=REPOSITORY
    )
    async with Client(served) as client:
        tools = (await client.list_tools()).tools
        return tools, [await client.call_tool(name, given) for name, given in CALLS]


def test_an_assistant_is_answered(golden: Path) -> None:
    tools, answers = asyncio.run(told(golden))
    assert {tool.name for tool in tools} == {"status", "findings", "show", "playbook", "explain", "ask"}
    texts = ["".join(one.text for one in answer.content) for answer in answers]
    assert f'"cluster_id": "{CLUSTER}"' in texts[0]
    assert "the controller was" in texts[2] and "controller.log" in texts[2]
    assert [bool(answer.is_error) for answer in answers] == [
        False,
        False,
        False,
        True,
        True,
        True,
        True,
        False,
        True,
        False,
        True,
        *[False, True, False, False, False],
    ]
    assert all(len(text) <= MOST for text in texts)
    assert not any(answer.structured_content for answer in answers)  # the same text once more
    assert json.loads(texts[13])["rows"][0]["number"] == 2
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert "a partition nope-0 in the logs read" in texts[3]
    assert "why-leaderless with TOPIC-N" in texts[4]
    assert "broker, which it does not go by" in texts[5]
    assert "found '--help'" in texts[6]
    assert "resign" in texts[7]
    assert "a finding F99" in texts[8]
    assert "that people or tools asked for since" in texts[9]
    assert "a rule such as outage" in texts[10]


@pytest.mark.parametrize("flag", ["--cluster", "--run-id"])
def test_it_serves_every_cluster(flag: str) -> None:
    """A choice that it would not keep to is refused."""
    with pytest.raises(SystemExit):
        mcp_server.main([flag, "c"])
