"""Lines of a dump that Kafka's tool did not write: each is told or passed over, and ends nothing."""

from time import process_time

import pytest

from pipeline.kafka.metadata_log.dump import read_metadata_dump, read_pasted_record

BATCH = "baseOffset: {} partitionLeaderEpoch: {} position: 0 CreateTime: 5 size"
NO_OP = '{"type":"NO_OP_RECORD","version":0,"data":{}}'
GOOD = f"| offset: 8 CreateTime: 5 keySize: -1 valueSize: 3 payload: {NO_OP}"


def read(*lines: str) -> tuple[list[tuple[int, int, str | None]], list[tuple[int, int]]]:
    """Offset, epoch and reason of each record; offset and epoch of each NoOp."""
    (part,) = read_metadata_dump(f"{one}\n".encode() for one in lines)
    records = [(one.offset, one.epoch, one.reason) for one in part.records]
    return records, [(offset, epoch) for offset, epoch, _ in part.no_ops.tolist()]


@pytest.mark.parametrize("version", ['"x"', "1e999", "[1]", "true", "-1", "99999", "null", "NaN", "{}"])
@pytest.mark.parametrize(
    "said", ['LeaderChange: {"version":%s}', 'payload: {"type":"NO_OP_RECORD","version":%s}']
)
def test_a_version_that_is_none_is_told(said: str, version: str) -> None:
    """What stands behind it is read."""
    line = GOOD.partition("payload: ")[0].replace("offset: 8", "offset: 7") + said % version
    assert read(BATCH.format(7, 2), line, GOOD) == ([(7, 2, "bad_bytes")], [(8, 2)])
    pasted = read_pasted_record(line)
    assert pasted is not None and pasted.reason == "bad_bytes"


@pytest.mark.parametrize("epoch", ["9999999999", "2147483648", "-2"])
def test_an_epoch_that_kafka_has_not_is_of_no_batch(epoch: str) -> None:
    """Nor are the records behind it of the batch before it."""
    lines = BATCH.format(1, 2), GOOD.replace("8", "1"), BATCH.format(8, epoch), GOOD
    assert read(*lines) == ([], [(1, 2), (8, -1)])
    assert read(BATCH.format(8, 2147483647), GOOD) == ([], [(8, 2147483647)])


@pytest.mark.parametrize(
    "words",
    [
        ("baseOffset: 1 ", "partitionLeaderEpoch: 1 "),
        ("baseOffset: 1 partitionLeaderEpoch: 1 ", "position: 1 "),
        (GOOD.partition("payload")[0] + "sequence: -1 headerKeys: ", "[]] "),
        ("| payload: ", "{} "),
    ],
)
def test_time_follows_the_length_of_a_line(words: tuple[str, str]) -> None:
    begin, again = words
    began = process_time()
    read_metadata_dump([(begin + again * (300_000 // len(again))).encode()])
    assert process_time() - began < 0.3
