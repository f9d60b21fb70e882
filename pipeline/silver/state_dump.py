"""Kafka's own dumps of initial states, from bronze.log_record."""

import polars as pl
from polars import col, lit

from pipeline.core.made_of import needs_rows_of
from pipeline.kafka.machines.by_release import PARTITION, REPLICA, START_EVENTS, STATES
from pipeline.model.lines.families import printed_field
from pipeline.model.lines.texts import TOPIC, first_match, number_in_text
from schemas.bronze.log_record import NOT_WHOLE
from schemas.silver.state_dump import SPEC

HEAD_BYTES = 512
BEGINNING = "initial state -> "
STARTED = rf"Started (replica|partition) state machine with {BEGINNING}"
CONTROLLER = r"[Cc]ontroller(?:Id=| )([0-9]+)\]:? Started "
NUMBER = "[0-9]{1,9}"
# Partitions are [t,0] up to 0.11 and t-0 from 1.0 on; the empty group stands for the replica that they have not.
ENTRY = {
    REPLICA: rf"\[Topic=(?<topic>{TOPIC}),Partition=(?<partition>{NUMBER}),Replica=(?<replica_id>{NUMBER})\]",
    PARTITION: rf"\[?(?<topic>{TOPIC})[-,](?<partition>{NUMBER})(?<replica_id>)\]?",
}
# Topics hold neither blanks nor commas: it stands between entries only.
SEPARATOR = ", "
PLACE = ("cluster_id", "file_id", "load_seq", "byte_offset", "logged_at", "node_id")
OBJECT = ("topic", "partition", "replica_id")


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per object that a dump names; `Map()` gives none.

    Of entries that name one object the last one counts. A cut line gives what it shows.
    Source: ReplicaStateMachine and PartitionStateMachine.startup, 0.8.0 to 3.9.
    """
    dumps = pl.concat([dump_records(log_record), not_whole(log_record)]).with_row_index("dump")
    entries = pl.concat(entries_of(dumps.filter(col("machine") == machine), machine) for machine in ENTRY)
    return entries.unique(["dump", *OBJECT], keep="last", maintain_order=True).select(SPEC.columns)


def dump_records(log_record: pl.DataFrame) -> pl.DataFrame:
    is_dump = col("event").is_in([*START_EVENTS]) & col("logged_at").is_not_null()
    return log_record.filter(is_dump).select(
        *PLACE,
        "controller_id",
        machine=col("event").replace_strict(START_EVENTS, return_dtype=pl.String),
        text=printed_field("initial_state"),
        is_whole=lit(value=True),
    )


def not_whole(log_record: pl.DataFrame) -> pl.DataFrame:
    """Dumps that a shipper cut, or the limit of a record: their bytes up to there, one character a byte."""
    is_cut = col("not_understood_reason").is_in(NOT_WHOLE) & (col("log") == "controller")
    cut = log_record.filter(is_cut, col("logged_at").is_not_null())
    dumps = cut.filter(col("raw").bin.contains(BEGINNING.encode()))
    text = pl.Series("text", [raw.decode("latin-1") for raw in dumps["raw"]], pl.String)
    head = col("text").str.slice(0, HEAD_BYTES)
    return (
        dumps.with_columns(text)
        .filter(head.str.contains(STARTED))
        .select(
            *PLACE,
            controller_id=number_in_text(first_match(head, CONTROLLER)),
            machine=head.str.extract(STARTED),
            text=col("text").str.replace(rf"(?s)^.*?{BEGINNING}", ""),
            is_whole=lit(value=False),
        )
    )


@needs_rows_of("dumps")
def entries_of(dumps: pl.DataFrame, machine: str) -> pl.DataFrame:
    """The entries of `HashMap(a -> b, c -> d)` that read; the last one of a cut dump may not.

    A dump is complete if it ends as it should and all of it reads.
    """
    groups = col("entry").str.extract_groups(rf"^{ENTRY[machine]} -> (?<state>{'|'.join(STATES[machine])})$")
    inside = col("text").str.replace(r"^[^(]*\(", "").str.strip_chars_end(")")
    ends_well = col("is_whole") & col("text").str.ends_with(")")
    is_read = col("state").is_not_null()
    return (
        dumps.with_columns(entry=inside.str.split(SEPARATOR), ends_well=ends_well)
        .drop("text")
        .explode("entry", keep_nulls=False)
        .with_columns(groups.struct.unnest())
        .with_columns(number_in_text(col("partition")), number_in_text(col("replica_id")))
        .with_columns(is_complete=(col("ends_well") & is_read.all()).over("dump"))
        .filter(is_read)
    )
