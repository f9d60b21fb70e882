"""Segments and checkpoints: what is read equals what Kafka's own tool prints; what is damaged is told."""

import csv
import gzip
import io
import tracemalloc

import numpy as np
import pytest

from pipeline.kafka.metadata_log.batches import DAMAGED, HEADER, NO_OP, TORN, ZEROS, read_batch_blocks
from pipeline.kafka.metadata_log.checksums import sum_stretches
from pipeline.kafka.metadata_log.dump import is_metadata_dump, read_metadata_dump
from pipeline.kafka.metadata_log.segment import (
    MetadataPart,
    MetadataRecord,
    is_metadata_log,
    read_metadata_file,
)
from pipeline.kafka.reading.masking import KINDS, Masking
from tests.metadata import dump_pairs, file_bytes, part_of, samples

RELEASES = ("3.9.2-one-node", "4.4.0-one-node")
HOSTILE = samples() / "hostile"
# Records read, how it ends, and what is not understood of the last one.
EXPECTED = {
    "torn.log": (23, TORN, None),
    "torn-records.log": (23, TORN, None),
    "zeros.log": (23, ZEROS, None),
    "bad-crc.log": (23, DAMAGED, None),
    "unknown-type.log": (25, None, "unknown_type"),
    "unknown-version.log": (24, None, "unknown_version"),
    "unknown-tag.log": (24, None, None),
    "frame-0.log": (24, None, "frame"),
    "garbage-behind.log": (24, None, "bad_bytes"),
    "count-lies.log": (24, None, "bad_bytes"),
    "array-lies.log": (24, None, "bad_bytes"),
    "huge-batch.log": (23, DAMAGED, None),
    "magic-1.log": (23, DAMAGED, None),
    "compressed-9.log": (24, None, "compressed"),
    "gap.log": (23, None, None),
    "middle.log": (22, None, None),
    "epoch-back.log": (23, DAMAGED, None),
    "forged-name.log": (24, None, None),
    "bomb.log": (24, None, "compressed"),
}


def said_of(one: MetadataRecord) -> tuple[object, ...]:
    """A dump up to 4.0 does not say of an election who won it."""
    is_bare = one.name == "LEADER_CHANGE"
    said = () if is_bare else (one.version, one.fields)
    return one.offset, one.epoch, one.at_ms, one.batch_offset, one.place, one.name, one.reason, *said


@pytest.mark.parametrize("release", RELEASES)
def test_it_reads_what_kafkas_own_tool_prints(release: str) -> None:
    pairs = dump_pairs(release)
    assert len(pairs) >= 2
    for file, dump in pairs:
        text = dump.read_bytes()
        assert is_metadata_dump(text[:9000].decode()) and is_metadata_log(file_bytes(file))
        (theirs,), ours = read_metadata_dump(io.BytesIO(text)), part_of(file)
        assert [*map(said_of, theirs.records)] == [*map(said_of, ours.records)]
        assert theirs.no_ops.tolist() == ours.no_ops.tolist()


def test_a_dump_without_metadata_of_records_says_the_same() -> None:
    """--skip-record-metadata: offsets follow from the batch, times are the latest of the batch."""
    _, dump = dump_pairs("4.4.0-one-node")[1]
    whole = dump.read_text(encoding="utf-8")
    lines = []
    for line in whole.splitlines(keepends=True):
        _, found, payload = line.partition("payload: ")
        lines.append(f"| {found}{payload}" if found else "\n" if line.startswith("| ") else line)
    (bare,) = read_metadata_dump(one.encode() for one in lines)
    (full,) = read_metadata_dump(io.BytesIO(whole.encode()))
    said = {one.offset: (one.name, one.fields, one.epoch) for one in full.records}
    assert len(bare.records) > 20
    assert all(said[one.offset] == (one.name, one.fields, one.epoch) for one in bare.records)


def test_every_hostile_sample_is_named() -> None:
    rows = csv.DictReader(io.StringIO((HOSTILE / "MANIFEST.tsv").read_text()), delimiter="\t")
    assert {row["file"] for row in rows} == {*EXPECTED, "user-topic.log"}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_hostile_sample(name: str) -> None:
    count, end, reason = EXPECTED[name]
    part = part_of(HOSTILE / name)
    found = len(part.records) + len(part.no_ops)
    last = max(part.records, key=lambda one: one.offset)
    assert (found, part.end and part.end.kind) == (count, end)
    assert reason in {one.reason for one in part.records} and last.offset <= 38
    assert part.missing == ([(19, 21)] if name == "gap.log" else [])


def test_a_segment_of_a_topic_is_none() -> None:
    assert not is_metadata_log(file_bytes(HOSTILE / "user-topic.log"))


def test_a_byte_of_each_record_is_its_place() -> None:
    path = samples() / "4.4.0-one-node" / "__cluster_metadata-0" / "00000000000000000000.log"
    data = path.read_bytes()
    (topic,) = (one for one in part_of(path).records if one.name == "TOPIC_RECORD" and one.place == 0)
    assert topic.fields is not None and topic.fields["name"].encode() in data[topic.byte : topic.byte + 60]


def places(part: MetadataPart) -> set[object]:
    """What a part says, one thing a record."""
    records = {
        (one.offset, one.epoch, one.at_ms, one.name, str(one.fields), one.reason) for one in part.records
    }
    return records | {("no_op", *one) for one in part.no_ops.tolist()}


def test_a_changed_byte_raises_nothing_and_is_told() -> None:
    """Offset and epoch of a batch stand outside of its check sum."""
    data = file_bytes(HOSTILE / "unknown-tag.log")
    begins = np.concatenate([block.places for block in read_batch_blocks(data)])
    whole, seed = places(read_metadata_file(data, "x.log")), np.random.default_rng(1)
    for at in seed.integers(0, len(data), 25).tolist():
        flipped = data.copy()
        flipped[at] ^= 1 << int(seed.integers(0, 8))
        part = read_metadata_file(flipped, "x.log")
        is_unchecked = ((begins <= at) & (at < begins + 16)).any()
        assert part.end or part.missing or is_unchecked or places(part) == whole
        for changed in (np.delete(data, at), np.insert(data, at, 7)):
            assert read_metadata_file(changed, "x.log").end is not None


def test_a_number_in_a_file_takes_no_memory() -> None:
    tracemalloc.start()
    for name in ("array-lies.log", "count-lies.log", "huge-batch.log", "bomb.log"):
        part_of(HOSTILE / name)
    assert tracemalloc.get_traced_memory()[1] < 32 << 20
    tracemalloc.stop()


def test_secrets_are_nowhere() -> None:
    folder = samples() / "3.9.2-one-node"
    part = part_of(folder / "__cluster_metadata-0" / "00000000000000000000.log")
    (credential,) = (one for one in part.records if one.name == "USER_SCRAM_CREDENTIAL_RECORD")
    dump = (folder / "dump" / "00000000000000000000.log.txt").read_text()
    for name in ("salt", "storedKey", "serverKey"):
        secret = dump.partition(f'"{name}":"')[2].partition('"')[0]
        assert (
            len(secret) > 20
            and secret not in repr(part.records)
            and secret not in repr(read_metadata_dump(io.BytesIO(dump.encode())))
        )
    assert credential.fields is not None and credential.fields["name"] == "alice"


def test_masks_hide_names_and_hosts() -> None:
    path = samples() / "4.4.0-one-node" / "__cluster_metadata-0" / "00000000000000000000.log"
    masking = Masking(KINDS, (), b"key")
    part = read_metadata_file(file_bytes(path), path.name, masking)
    said = repr(part.records)
    assert "127.0.0.1" not in said and "User:" not in said and "host-" in said
    assert "127.0.0.1" in repr(part_of(path).records)


def test_a_setting_that_is_not_known_hides_its_value() -> None:
    said = '| payload: {"type":"CONFIG_RECORD","version":0,"data":{"resourceType":4,"resourceName":"1","name":"%s","value":"v"}}'
    lines = [b"baseOffset: 1 partitionLeaderEpoch: 1 position: 0 CreateTime: 5 size\n"]
    lines += [(said % name).encode() + b"\n" for name in ("ssl.keystore.password", "mine", "retention.ms")]
    (part,) = read_metadata_dump(lines)
    assert [one.fields["value"] for one in part.records if one.fields] == ["(secret)", "(secret)", "v"]


def test_sums_are_those_of_the_standard() -> None:
    data = np.frombuffer(b"123456789" * 60_000, np.uint8)
    starts = np.array([0, 9, 0, 4, 5], np.int64)
    lengths = np.array([9, 9, 64, 500, 530_000], np.int64)
    assert sum_stretches(data, starts, lengths)[:2].tolist() == [0xE3069283, 0xE3069283]
    assert sum_stretches(data, starts, lengths).tolist() == [
        naive_sum(data[a : a + b].tobytes()) for a, b in zip(starts.tolist(), lengths.tolist(), strict=True)
    ]


def naive_sum(data: bytes) -> int:
    table = []
    for byte in range(256):
        state = byte
        for _ in range(8):
            state = (state >> 1) ^ (0x82F63B78 if state & 1 else 0)
        table.append(state)
    found = 0xFFFFFFFF
    for one in data:
        found = table[(found ^ one) & 0xFF] ^ (found >> 8)
    return found ^ 0xFFFFFFFF


def idle_log(count: int) -> np.ndarray:
    """What an idle controller writes."""
    heads = np.zeros(count, HEADER)
    heads["base_offset"], heads["length"], heads["magic"], heads["count"] = np.arange(count), 60, 2, 1
    heads["base_at"] = heads["max_at"] = 1_795_818_154_188 + 500 * np.arange(count)
    bodies = np.tile(np.frombuffer(NO_OP, np.uint8), (count, 1))
    rows = np.concatenate([heads.view(np.uint8).reshape(count, -1), bodies], axis=1)
    starts = np.arange(count, dtype=np.int64) * rows.shape[1] + 21
    sums = sum_stretches(rows.reshape(-1), starts, np.full(count, rows.shape[1] - 21))
    rows[:, 17:21] = sums.astype(">u4").view(np.uint8).reshape(count, 4)
    return rows.reshape(-1)


def one_batch(bodies: list[bytes], codec: int = 0) -> np.ndarray:
    """A batch of NoOps whose records are as given, with the check sum that fits."""
    body = b"".join(bodies)
    head = np.zeros(1, HEADER)
    head["length"], head["magic"], head["attributes"] = 49 + len(body), 2, codec
    head["count"], head["last_delta"] = len(bodies), len(bodies)
    head["base_at"] = head["max_at"] = 1_795_818_154_188
    data = np.frombuffer(head.tobytes() + body, np.uint8).copy()
    sums = sum_stretches(data, np.array([21], np.int64), np.array([len(data) - 21], np.int64))
    data[17:21] = sums.astype(">u4").view(np.uint8)
    return data


def test_a_compressed_batch_is_told_and_not_unpacked() -> None:
    packed = one_batch([gzip.compress(NO_OP)], codec=1)
    assert [one.reason for one in read_metadata_file(packed, "x.log").records] == ["compressed"]
    assert not is_metadata_log(packed)


def test_an_offset_stands_in_a_batch_once() -> None:
    later = NO_OP[:3] + b"\x02" + NO_OP[4:]
    good = read_metadata_file(one_batch([NO_OP, later]), "x.log")
    assert good.no_ops["offset"].tolist() == [0, 1]
    for bodies in ([NO_OP, NO_OP], [later, NO_OP]):
        part = read_metadata_file(one_batch(bodies), "x.log")
        assert [one.reason for one in part.records] == ["bad_bytes"] and not len(part.no_ops)


def test_a_name_of_a_checkpoint_that_no_offset_fits_in_stands_for_none() -> None:
    data = one_batch([NO_OP])
    assert read_metadata_file(data, f"{9:020}-{3:010}.checkpoint").snapshot == (9, 3)
    assert read_metadata_file(data, f"{'9' * 20}-{3:010}.checkpoint").snapshot is None
    assert read_metadata_file(data, f"{9:020}-{'9' * 10}.checkpoint").snapshot is None


def test_an_idle_day_is_counted() -> None:
    part = read_metadata_file(idle_log(40_000), "x.log")
    assert (len(part.no_ops), part.records, part.end, part.missing) == (40_000, [], None, [])
    assert part.no_ops["at_ms"][-1] - part.no_ops["at_ms"][0] == 500 * 39_999
