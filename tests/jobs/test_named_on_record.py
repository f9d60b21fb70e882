"""The question on-record: leaders of a partition at a time as the metadata log has them."""

from datetime import UTC, datetime, timedelta

import pytest

from jobs.questions.given_names import TopicPartition
from jobs.questions.named.on_record import what_is_on_record
from pipeline.core.frames import empty_frame
from pipeline.kafka.metadata_log.dump import read_metadata_dump
from pipeline.views.reading.answers import Answers
from schemas.bronze import source_file
from schemas.silver import metadata_partition
from tests.metadata import SHARED, dumped_lab
from tests.metadata_nights import MetadataNights, cut_part

TARGETS = SHARED / "kafka" / "open-audits" / "targets" / "metadata_log.tsv"
NAME = "4.3.1-kraft-separate-stock"


@pytest.fixture(scope="module")
def on_record() -> Answers:
    nights = MetadataNights()
    nights.night([(1, part) for part in read_metadata_dump(dumped_lab(NAME))])
    nights.tables.append(source_file.SPEC, empty_frame(source_file.SPEC).to_arrow())
    return Answers("c", nights.tables)


def test_leaders_are_those_of_another_replay_all_of_the_time(on_record: Answers) -> None:
    """Of one node's copy: each election of each partition with its epoch and its time."""
    if not TARGETS.is_file():
        pytest.skip("no targets")
    rows = on_record.rows("silver.metadata_partition").sort("record_offset")
    found: dict[str, list[str]] = {}
    for row in rows.filter(is_elected=True).to_dicts():
        said = f"{row['leader_epoch']}:{row['leader']}@{row['decided_at']:%H:%M:%S.%f}"[:-3]
        found.setdefault(f"{row['topic']}-{row['partition']} {row['topic_id']}", []).append(said)
    cells = [line.split("\t") for line in TARGETS.read_text(encoding="utf-8").splitlines()]
    wanted = {key: value for cluster, what, key, value, *_ in cells if (cluster, what) == (NAME, "leaders")}
    assert len(wanted) > 30 and {key: " ".join(said) for key, said in found.items()} == wanted


def test_a_state_is_told_with_what_led_to_it(on_record: Answers) -> None:
    rows = on_record.rows("silver.metadata_partition").sort("record_offset")
    row = rows.filter(cause="fenced").row(-1, named=True)
    found = what_is_on_record(on_record, TopicPartition(row["topic"], row["partition"]), row["decided_at"])
    assert found.sentence.startswith(f"On record at {row['decided_at']:%Y-%m-%d}")
    assert f"at offset {row['record_offset']}" in found.sentence
    assert f"broker {row['cause_broker_id']} was fenced" in found.sentence
    assert found.told[0].at == row["decided_at"] and found.not_known


def test_what_is_not_there_is_said(on_record: Answers) -> None:
    early = datetime(2020, 1, 1, tzinfo=UTC)
    topic = on_record.rows("silver.metadata_partition")["topic"][0]
    assert (
        "is not on record at 2020-01-01"
        in what_is_on_record(on_record, TopicPartition(topic, 0), early).sentence
    )
    nothing = MetadataNights()
    nothing.tables.append(source_file.SPEC, empty_frame(source_file.SPEC).to_arrow())
    assert not nothing.tables.has_rows(metadata_partition.SPEC)
    found = what_is_on_record(Answers("c", nothing.tables), TopicPartition("orders", 0), None)
    assert found.sentence.startswith("No copy of the metadata log was read") and found.not_known


def test_of_a_time_after_the_copies_end_nothing_is_said(on_record: Answers) -> None:
    """Lines of text may go on: of the whole log each row that ends tells a time and a cut before it."""
    rows = on_record.rows("silver.metadata_partition").sort("record_offset")
    changed = rows.filter(cause="fenced").row(-1, named=True)
    nights = MetadataNights()
    (part,) = read_metadata_dump(dumped_lab(NAME))
    nights.night([(1, cut_part(part, 0, changed["record_offset"]))])
    nights.tables.append(source_file.SPEC, empty_frame(source_file.SPEC).to_arrow())
    cut = Answers("c", nights.tables)
    partition = TopicPartition(changed["topic"], changed["partition"])
    found = what_is_on_record(cut, partition, changed["decided_at"] + timedelta(seconds=1))
    assert found.sentence.startswith("Not enough evidence: the data end before ")
    assert found.as_of is not None and found.as_of <= changed["decided_at"]
    assert what_is_on_record(cut, partition, found.as_of).sentence.startswith("On record at ")


def test_what_lies_in_a_hole_is_not_known(on_record: Answers) -> None:
    rows = on_record.rows("silver.metadata_partition").sort("record_offset")
    changed = rows.filter(cause="fenced").row(-1, named=True)["record_offset"]
    nights = MetadataNights()
    (part,) = read_metadata_dump(dumped_lab(NAME))
    nights.night([(1, cut_part(part, 0, changed)), (2, cut_part(part, changed + 5, 1 << 40))])
    nights.tables.append(source_file.SPEC, empty_frame(source_file.SPEC).to_arrow())
    found = what_is_on_record(Answers("c", nights.tables), TopicPartition("nosuch", 0), None)
    said = f"what offsets {changed} to {changed + 4} decided: no copy of them was read"
    assert found.sentence == "nosuch-0 is not on record." and found.not_known == [said]
