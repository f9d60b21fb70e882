"""Lines of several pods or hosts in one stream are a file of each."""

import json
from pathlib import Path

import pytest

from jobs.incident.logs import Logs
from jobs.incident.piped import split_by_container
from jobs.incident.progress import ProgressLine
from tests.incident.answers import settings_of

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


def test_what_was_typed_above_names_nobody(tmp_path: Path) -> None:
    (tmp_path / "whole").write_text(f"$ docker compose logs\nkafka-1  | {LINE}\nkafka-2  | {LINE}\n")
    found = {name: one.read_text() for name, one in split_by_container(tmp_path / "whole", tmp_path).items()}
    assert found == {"": "$ docker compose logs\n", "kafka-1": f"{LINE}\n", "kafka-2": f"{LINE}\n"}


def test_a_saved_stream_is_read_as_one_that_comes_in(tmp_path: Path) -> None:
    lines = [f"[pod/kafka-{number}/kafka] {LINE}\n" for number in (0, 1, 0)]
    file = tmp_path / "logs" / "all.log"
    file.parent.mkdir()
    (tmp_path / "parts").mkdir()
    for text, expected in (
        ("".join(lines), ["all.log!kafka-0", "all.log!kafka-1"]),
        (lines[0] * 2, ["all.log"]),
        ("", ["all.log"]),
    ):
        file.write_text(text)
        logs = Logs([str(file)], settings_of(), tmp_path / "parts", ProgressLine(is_terminal=False))
        assert [Path(one.path).name for one in logs.below(str(file))] == expected
    assert not [*(tmp_path / "parts").iterdir()]


@pytest.mark.parametrize("text", ["", f"{LINE}\n", f"kafka-1  | {LINE}\n{LINE}\n", "\n\n"])
def test_lines_that_do_not_begin_alike_stay_together(tmp_path: Path, text: str) -> None:
    (tmp_path / "whole").write_text(text)
    assert split_by_container(tmp_path / "whole", tmp_path) == {}
