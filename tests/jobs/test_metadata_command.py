"""`metadata`: the records of a copy in words; `explain` of a line of a dump."""

import json
import shutil
from pathlib import Path

import pytest

from jobs.cli import main
from tests.metadata import samples


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main([*words, "--no-pager"]) == 0
    return capsys.readouterr().out


def test_records_are_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "metadata", str(samples() / "diverged"), "--topic", "rf2", "--partition", "2")
    assert (
        "partition change rf2-2: leader 3 -> none (leader epoch 1), ISR [3] -> [], ELR [] -> [3], "
        "last known leader [] -> [3], partition epoch 2" in text
    )
    assert text.count("void: a later epoch took its place") == 1
    assert text.startswith("segment of node 102  ")


def test_one_type_of_some_offsets(capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(samples() / "4.4.0-one-node")
    rows = json.loads(
        said(capsys, "metadata", folder, "--type", "topic", "--offset", "0-60", "--format", "json")
    )
    assert [(one["type"], one["topic"]) for one in rows] and all(one["offset"] <= 60 for one in rows)


def test_a_dump_out_of_an_archive(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    packed = shutil.make_archive(str(tmp_path / "it"), "gztar", samples() / "3.9.2-one-node", "dump")
    text = said(capsys, "metadata", packed)
    assert "dump" in text and "storedKey (secret)" in text


def test_logs_of_two_clusters_are_not_mixed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """By the id of the cluster, or by what stands at the same place."""
    for name, is_named in (("a", True), ("b", True), ("c", False)):
        home = tmp_path / name
        sample = "4.4.0-one-node" if name == "a" else "3.9.2-one-node"
        shutil.copytree(samples() / sample / "__cluster_metadata-0", home / "__cluster_metadata-0")
        if is_named:
            (home / "meta.properties").write_text(f"node.id=1\ncluster.id=cluster-{name}\n")
    assert main(["metadata", str(tmp_path), "--no-pager"]) == 0
    out, err = capsys.readouterr()
    assert "of another cluster (" in err and "it says other than" in err
    assert "4.4.0" not in err and "/b/" not in out and "/c/" not in out


def test_a_segment_of_a_topic_is_not_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metadata", str(samples() / "hostile" / "user-topic.log")]) == 4
    assert capsys.readouterr().out == ""


def test_nothing_else_of_a_data_directory_is_opened(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A pipe would be refused where it is opened; so would what nobody may read."""
    shutil.copytree(samples() / "4.4.0-one-node" / "__cluster_metadata-0", tmp_path / "__cluster_metadata-0")
    other = tmp_path / "orders-0"
    other.mkdir()
    shutil.copy(tmp_path / "__cluster_metadata-0" / "00000000000000000000.log", other)
    assert "orders-0/0000" not in said(capsys, "metadata", str(tmp_path))


LINE = (
    "| offset: 13 CreateTime: 1795818254672 keySize: -1 valueSize: 30 sequence: -1 headerKeys: [] payload: "
    '{"type":"PARTITION_CHANGE_RECORD","version":1,"data":'
    '{"partitionId":0,"topicId":"_yiQOK6XSxilqRmK9YM1_w","isr":[3],"leader":3}}'
)


def test_explain_takes_a_line_of_a_dump(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "explain", LINE)
    for part in ("PARTITION_CHANGE_RECORD", "leader 3, ISR [3]", "since 3.7", "no election", "absent"):
        assert part in text
    (row,) = json.loads(said(capsys, "explain", "--json", LINE.partition("payload: ")[2]))
    assert row["metadata_record"]["name"] == "PARTITION_CHANGE_RECORD" and row["words"].endswith("ISR [3]")


def test_explain_leaves_lines_of_logs_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert "NOT UNDERSTOOD" in said(capsys, "explain", '{"type":"x","message":"y"}')
