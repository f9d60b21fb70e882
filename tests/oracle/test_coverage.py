"""The coverage report counts every record once, and names what is not understood."""

from pathlib import Path

from tests.coverage import covered, never_met, report
from tests.oracle import naive
from tests.oracle.corpus import SAMPLE, logs
from tests.oracle.rows import wordings

NODE = SAMPLE / "lab-2.2.2" / "broker-3"
LINE = "[2024-03-01 12:00:00,123] INFO {} (kafka.controller.{})\n"


def test_a_node_of_the_sample_is_counted_as_the_naive_reader_counts_it() -> None:
    found = covered([NODE])
    rows = [row for file in logs(NODE) for row in naive.read(file.data, file.log)]
    known = found.sums(lambda group: (group.event != "",))
    assert known == {
        (True,): sum(row["event"] is not None for row in rows),
        (False,): sum(row["event"] is None for row in rows),
    }
    met = {(row["logger"], row["template"]) for row in rows if row["template"]}
    assert len(never_met(found)) == len(wordings()) - len(met)
    assert not found.unknown


def test_what_is_not_understood_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "3.9.1-x" / "broker-1"
    folder.mkdir(parents=True)
    known = LINE.format("[Controller id=1] Resigning", "KafkaController")
    lines = (
        known + LINE.format("[Controller id=1] Resignin", "KafkaController") + LINE.format("x", "NoSuchClass")
    )
    (folder / "controller.log").write_text(lines)
    found = covered([tmp_path])
    assert found.unknown == {
        ("3.9.1-x", "no_template", LINE.format("[Controller id=1] Resignin", "KafkaController").strip()): 1,
        ("3.9.1-x", "no_template", LINE.format("x", "NoSuchClass").strip()): 1,
    }
    assert list(report(found))[-3].endswith("not understood: 2")
