"""Kafka's own dumps of initial states, from bronze.log_record."""

from functools import partial

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from pipeline.kafka.columns import bound
from pipeline.kafka.machines import PARTITION, REPLICA, STATES
from schemas.silver.state_dump import SPEC

EVENTS = {"replica_state_machine_started": REPLICA, "partition_state_machine_started": PARTITION}
NOT_WHOLE = ("cut", "too_long")
HEAD_BYTES = 512
BEGINNING = "initial state -> "
STARTED = rf"Started (replica|partition) state machine with {BEGINNING}"
CONTROLLER = r"[Cc]ontroller(?:Id=| )(\d+)\]:? Started "
# Partitions are [t,0] up to 0.11 and t-0 from 1.0 on; the empty group stands for the replica that they have not.
ENTRY = {
    REPLICA: r"\[Topic=([\w.-]+),Partition=(\d{1,9}),Replica=(\d{1,9})\]",
    PARTITION: r"\[?([\w.-]+)[-,](\d{1,9})()\]?",
}
# Topics hold neither blanks nor commas: it stands between entries only.
SEPARATOR = ", "
# What of a dump is taken apart at once, and a look beyond its end: further than the longest entry reaches.
PART_BYTES, LOOK_AHEAD_BYTES = 1 << 16, 1 << 10


def build(log_record: DataFrame) -> DataFrame:
    """One row per object that a dump names; `Map()` gives none.

    A dump may be of any size: it is cut into parts that share no entry, and these are taken apart one by one.
    A cut line gives what it shows. Source: ReplicaStateMachine and PartitionStateMachine.startup, 0.8.0 to 3.9.
    """
    return (
        whole(log_record)
        .unionByName(not_whole(log_record))
        .transform(with_parts)
        .transform(one_each)
        .select(*SPEC.columns)
    )


def whole(log_record: DataFrame) -> DataFrame:
    machine = F.create_map(*(F.lit(text) for pair in EVENTS.items() for text in pair))[F.col("event")]
    return log_record.where(F.col("event").isin(*EVENTS) & F.col("logged_at").isNotNull()).select(
        *placed(),
        "controller_id",
        machine.alias("machine"),
        F.col("fields")["initial_state"].alias("text"),
        F.lit(True).alias("is_whole"),
    )


def not_whole(log_record: DataFrame) -> DataFrame:
    """Dumps that a shipper cut, or the limit of a record: their bytes up to there."""
    head = F.substring("raw", 1, HEAD_BYTES).cast("string")
    is_dump = F.col("not_understood_reason").isin(*NOT_WHOLE) & (F.col("log") == "controller")
    text = F.col("raw").cast("string")
    return log_record.where(is_dump & head.rlike(STARTED) & F.col("logged_at").isNotNull()).select(
        *placed(),
        F.regexp_extract(head, CONTROLLER, 1).try_cast("int").alias("controller_id"),
        F.regexp_extract(head, STARTED, 1).alias("machine"),
        F.substr(text, F.locate(BEGINNING, text) + len(BEGINNING)).alias("text"),
        F.lit(False).alias("is_whole"),
    )


def placed() -> tuple[str, ...]:
    return ("cluster_id", "file_id", "load_seq", "byte_offset", "logged_at", "node_id")


def with_parts(dumps: DataFrame) -> DataFrame:
    """`HashMap(a -> b, c -> d)` as parts of some entries each; complete if it ends as it should and all of it reads."""
    text = F.col("text")
    inside = F.regexp_replace(F.substr(text, F.locate("(", text) + 1), r"\)+\z", "").cast("binary")
    has_end = F.col("is_whole") & text.endswith(")")
    marked = bound(
        parts_of(inside), lambda parts: bound(has_end & all_read(parts), partial(with_mark, parts))
    )
    columns = [name for name in dumps.columns if name != "text"]
    return dumps.select(*columns, F.explode(marked).alias("one")).select(
        *columns, "one.part", "one.at", "one.is_complete"
    )


def all_read(parts: Column) -> Column:
    return F.forall(parts, lambda part: F.size(F.split(part, SEPARATOR)) == F.regexp_count(part, entry()))


def with_mark(parts: Column, is_complete: Column) -> Column:
    return F.transform(
        parts,
        lambda part, at: F.struct(part.alias("part"), at.alias("at"), is_complete.alias("is_complete")),
    )


def parts_of(inside: Column) -> Column:
    def parts(inside: Column) -> Column:
        numbers = F.sequence(F.lit(0), F.floor(F.octet_length(inside) / PART_BYTES).cast("int"))
        found = F.transform(numbers, lambda number: bound(block_at(inside, number), partial(part_of, number)))
        return F.filter(found, lambda part: F.length(part) > 0)

    return bound(inside, parts)


def block_at(inside: Column, number: Column) -> Column:
    """One character a byte, so that places are counted alike whatever the bytes are."""
    size = F.lit(PART_BYTES + LOOK_AHEAD_BYTES)
    return F.decode(F.substr(inside, number * PART_BYTES + 1, size), "ISO-8859-1")


def part_of(number: Column, block: Column) -> Column:
    """The entries whose separator before them lies in the block of that number; empty if none does."""
    before, behind = F.locate(SEPARATOR, block), F.locate(SEPARATOR, block, PART_BYTES + 1)
    first = F.when(number == 0, 1).when(before.between(1, PART_BYTES), before + len(SEPARATOR))
    length = F.when(behind > 0, behind - first).otherwise(F.length(block))
    return F.coalesce(F.substr(block, first, length), F.lit(""))


def entry() -> Column:
    """Pattern of one entry, with the groups topic, partition, replica and state."""
    patterns = {
        machine: rf"(?:^|{SEPARATOR}){name} -> ({'|'.join(STATES[machine])})(?={SEPARATOR}|\z)"
        for machine, name in ENTRY.items()
    }
    return F.when(F.col("machine") == REPLICA, patterns[REPLICA]).otherwise(patterns[PARTITION])


def one_each(dumps: DataFrame) -> DataFrame:
    """The entries that read; the last one of a cut dump may not. Of those that name one thing the last one."""
    names = ("topic", "partition", "replica_id", "state")
    groups = (
        F.regexp_extract_all("part", entry(), F.lit(group)).alias(name) for group, name in enumerate(names, 1)
    )
    columns = [name for name in SPEC.columns if name not in names]
    exploded = dumps.select(*columns, "at", F.posexplode(F.arrays_zip(*groups)).alias("place", "object"))
    own = [
        *map(F.col, (*columns, "object.topic")),
        F.col("object.partition").try_cast("int").alias("partition"),
        F.col("object.replica_id").try_cast("int").alias("replica_id"),
    ]
    last = F.max_by("object.state", F.struct("at", "place")).alias("state")
    return exploded.groupBy(own).agg(last)
