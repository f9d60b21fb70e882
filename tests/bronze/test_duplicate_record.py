"""Records that two files of a node hold: named once, whatever the order, the overlap and true repeats."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from pipeline.bronze import duplicate_record
from schemas.bronze import log_record, source_file
from tests.tables import interpreted

LINES = "abcde"
BEGIN = datetime(2026, 11, 21, tzinfo=UTC)
# (file, segment, line): a line begins with a letter, its time is the place of the letter in the alphabet, and it counts
# as one byte; what stands before a slash in the name of the file is its cluster
Loaded = list[tuple[str, int, str]]


def frames(spark: SparkSession, loaded: Loaded) -> tuple[DataFrame, DataFrame]:
    """log_record and source_file of lines in the order in which they stand in their files."""
    records, segments = [], dict[int, list[tuple[str, int, datetime]]]()
    for offset, (file_id, load_seq, line) in enumerate(loaded):
        at = BEGIN + timedelta(seconds=ord(line[0]))
        segments.setdefault(load_seq, []).append((file_id, offset + 1, at))
        records.append(
            (*writer(file_id), "controller", file_id, load_seq, offset, 1, line.encode(), at, None)
        )
    files = []
    for load_seq, some in segments.items():
        file_ids, ends, times = zip(*some, strict=True)
        files.append((*writer(file_ids[0]), file_ids[0], load_seq, max(ends), False, min(times), max(times)))
    return (
        spark.createDataFrame(records, columns(log_record.SPEC.struct, "cluster_id node_id log file_id load_seq byte_offset byte_length raw logged_at event")),
        spark.createDataFrame(files, columns(source_file.SPEC.struct, "cluster_id node_id file_id load_seq consumed_bytes is_last_held_back first_logged_at last_logged_at")),
    )  # fmt: skip


def writer(file_id: str) -> tuple[str, int]:
    """Cluster and node."""
    return file_id.rpartition("/")[0], 2 if file_id == "other" else 1


def columns(struct: StructType, names: str) -> StructType:
    return StructType([struct[name] for name in names.split()])


def named(records: DataFrame, files: DataFrame, before: int = 0) -> DataFrame:
    """What a run names that brings all segments above `before`: as Intake.find_duplicates."""
    new = F.col("load_seq") > before
    spans = duplicate_record.spans(records, duplicate_record.overlaps(files, files.where(new)))
    overlap = duplicate_record.overlaps(spans, spans.where(new), "log")
    whole = duplicate_record.of_whole_files(overlap, files)
    return duplicate_record.build(records, whole).where(new)


def left(spark: SparkSession, loaded: Loaded) -> Loaded:
    """What counts of these lines."""
    records, files = frames(spark, loaded)
    rows = duplicate_record.without(records, named(records, files)).collect()
    return sorted((row.file_id, row.load_seq, row.raw.decode()) for row in rows)


@pytest.mark.spark
def test_a_part_of_a_file_delivered_again(spark: SparkSession) -> None:
    first = [("x", 1, "a"), ("x", 1, "b"), ("x", 2, "b"), ("x", 2, "c")]
    again = [("y", 3, "b"), ("y", 3, "c"), ("y", 3, "d"), ("other", 4, "b")]
    assert left(spark, first + again) == sorted([*first, ("y", 3, "d"), ("other", 4, "b")])


@pytest.mark.spark
def test_two_logs_of_one_time_are_not_compared(spark: SparkSession) -> None:
    records, files = frames(spark, [("x", 1, "a"), ("x", 1, "b"), ("y", 2, "a"), ("y", 2, "b")])
    assert duplicate_record.overlaps(files, files).count() == 2
    is_other = F.col("file_id") == "y"
    logs = records.withColumn("log", F.when(is_other, "state-change").otherwise("controller"))
    spans = duplicate_record.spans(logs, duplicate_record.overlaps(files, files))
    assert spans.count() == 2
    assert duplicate_record.overlaps(spans, spans, "log").count() == 0


@pytest.mark.spark
@settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.lists(st.sampled_from(LINES), max_size=6)), max_size=4))
def test_what_counts_is_the_most_that_one_file_holds(
    spark: SparkSession, files: list[tuple[str, list[str]]]
) -> None:
    loaded = [
        (name, load_seq, line) for load_seq, (name, lines) in enumerate(files, 1) for line in sorted(lines)
    ]
    counted = [line for _, _, line in left(spark, loaded)] if loaded else []
    for line in LINES:
        held = [sum(one[0] == name and one[2] == line for one in loaded) for name in "xyz"]
        assert counted.count(line) == max(held)


# What two files hold, and of the second what counts.
CUT_SHORT = {
    "inside a stack trace": (["a\n", "b\nt\nu\n", "c\n"], ["a\n", "b\nt\n"], []),
    "inside a line of it": (["b\nt\nuu\n"], ["b\nt\nu"], []),
    "inside its only line": (["bb\n"], ["b"], []),
    "before its line end": (["b\r\n"], ["b\r"], []),
    "inside the next line": (["b\nt\n", "c\n"], ["b\nt\n[2"], []),
    "twice, as there": (["b\nt\n", "b\nt\n"], ["b\nt\n", "b\n"], []),
    "as a line that is there too": (["b\n", "b\nt\n"], ["b\n"], []),
    "once more than there": (["b\nt\n"], ["b\nt\n", "b\n"], ["b\n"]),
    "not the last of its file": (["b\nt\n"], ["b\n", "c\n"], ["b\n", "c\n"]),
    "after which the other begins a line": (["b\n"], ["b\nt"], ["b\nt"]),
    "another line": (["bb\n"], ["b\n"], ["b\n"]),
    "another line of a trace": (["b\nt\n"], ["b\nu"], ["b\nu"]),
    "another line end": (["b\r\n"], ["b\n"], ["b\n"]),
}


@pytest.mark.spark
@pytest.mark.parametrize("order", ["xy", "yx"])
def test_a_record_that_the_end_of_its_file_cut_short(spark: SparkSession, order: str) -> None:
    """The whole one counts, also if one run brought it last."""
    loaded = Loaded()
    for place, (case, (whole, copy, _)) in enumerate(CUT_SHORT.items()):
        for name, lines in (("x", whole), ("y", copy)):
            loaded += [(f"{case}/{name}", 2 * place + order.index(name) + 1, line) for line in lines]
    with interpreted(spark):
        counted = Counter((file_id.rpartition("/")[0], line) for file_id, _, line in left(spark, loaded))
    for case, (whole, _, more) in CUT_SHORT.items():
        assert sorted(line for name, line in counted.elements() if name == case) == sorted(whole + more), case


@pytest.mark.spark
def test_what_is_followed_by_a_record_that_is_held_back_is_whole(spark: SparkSession) -> None:
    records, files = frames(spark, [("x", 1, "b\nt\n"), ("y", 2, "b\n")])
    assert named(records, files).count() == 1
    assert named(records, files.withColumn("is_last_held_back", F.lit(True))).count() == 0


@dataclass(frozen=True)
class Deal:
    """Two or three pieces of one log, each with lines told twice, cut into segments that three nights bring."""

    files: dict[str, str]
    nights: list[list[tuple[str, str]]]


def deal(random: Random) -> Deal:
    log = sorted(random.choices(LINES, k=random.randrange(2, 9)))
    found = Deal({}, [[], [], []])
    for name in "xyz"[: random.randrange(2, 4)]:
        begin = random.randrange(len(log))
        lines = log[begin : random.randrange(begin, len(log)) + 1]
        found.files[name] = "".join(line * random.choice((1, 1, 1, 2)) for line in lines)
        cuts = sorted(random.choices(range(len(found.files[name]) + 1), k=2))
        for brought, (start, end) in zip(
            found.nights, pairwise([0, *cuts, len(found.files[name])]), strict=True
        ):
            if start < end:
                brought.append((name, found.files[name][start:end]))
    for brought in found.nights:
        random.shuffle(brought)
    return found


@pytest.mark.spark
def test_nights_name_what_one_reading_names(spark: SparkSession) -> None:
    """However files were cut into segments, and whichever night brought which. Each deal is a cluster of its own."""
    deals = [deal(Random(seed)) for seed in range(60)]  # noqa: S311  (a deal, no secret)
    loaded, places = Loaded(), set[tuple[str, int]]()
    load_seq = 0
    for night in range(3):
        before = load_seq
        for case, one in enumerate(deals):
            for name, lines in one.nights[night]:
                load_seq += 1
                loaded += [(f"{case}/{name}", load_seq, line) for line in lines]
        with interpreted(spark):
            twice = named(*frames(spark, loaded), before).collect()
        places |= {(row.file_id, row.byte_offset) for row in twice}
    counted = Counter(
        (file_id[:-2], line)
        for offset, (file_id, _, line) in enumerate(loaded)
        if (file_id, offset) not in places
    )
    for case, one in enumerate(deals):
        for line in LINES:
            held = max(lines.count(line) for lines in one.files.values())
            assert counted[str(case), line] == held, (one, line)
