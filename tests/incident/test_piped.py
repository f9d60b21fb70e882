"""Lines of several pods or hosts in one stream are a file of each."""

import json
from pathlib import Path

import pytest

from jobs.incident.piped import split_by_container

LINE = "[2026-11-21 09:00:00,000] INFO x (kafka.controller.KafkaController)"


def journal(host: str, line: str) -> str:
    return json.dumps({"__CURSOR": "s=1", "MESSAGE": line, "_HOSTNAME": host, "PRIORITY": "6"})


@pytest.mark.parametrize(
    ("form", "is_kept"),
    [
        ("[pod/{}/kafka] {}", False),
        ("{}  | {}", False),
        ("{} kafka {}", False),
        ("Nov 21 09:00:00 {} kafka[12]: {}", True),
        ("<30>2026-11-21T09:00:00.123456+01:00 {} kafka[12]: {}", True),
        ("<165>1 2026-11-21T09:00:00Z {} kafka 12 - - {}", True),
    ],
)
def test_each_name_has_its_lines(tmp_path: Path, form: str, *, is_kept: bool) -> None:
    hosts = ("kafka-1", "kafka-2", "kafka-1")
    lines = [form.format(host, f"{LINE}{number}") for number, host in enumerate(hosts)]
    (tmp_path / "whole").write_text("\n".join(lines) + "\n")
    found = {name: one.read_text() for name, one in split_by_container(tmp_path / "whole", tmp_path).items()}
    kept = lines if is_kept else [f"{LINE}{number}" for number in range(3)]
    assert found == {"kafka-1": f"{kept[0]}\n{kept[2]}\n", "kafka-2": f"{kept[1]}\n"}


def test_a_host_is_no_text_of_a_message(tmp_path: Path) -> None:
    lines = [journal("kafka-1", 'x "_HOSTNAME" : "evil"'), journal("kafka-2", LINE)]
    (tmp_path / "whole").write_text("\n".join(lines) + "\n")
    assert [*split_by_container(tmp_path / "whole", tmp_path)] == ["kafka-1", "kafka-2"]


@pytest.mark.parametrize("text", ["", f"{LINE}\n", f"kafka-1  | {LINE}\n{LINE}\n", "\n\n"])
def test_lines_that_do_not_begin_alike_stay_together(tmp_path: Path, text: str) -> None:
    (tmp_path / "whole").write_text(text)
    assert split_by_container(tmp_path / "whole", tmp_path) == {}
