"""Parts of the logs of a cluster, drawn at random: what a person has who was not given all of them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random

import polars as pl
import pyarrow as pa
from polars import col

from pipeline.kafka.reading.writers import message_writers
from schemas.bronze.log_record import SAID

MESSAGE = r"^\[[^\]]*\] [A-Z]+ ([^\n]*)"
NAMES_OF_SAID = [*(one.name for one in SAID), "fields"]
Cut = Callable[[Random, pl.DataFrame], pl.DataFrame]
EARLIER = timedelta(days=12)
ID_LENGTH = 22
TOPIC_ID = r"(?i)topic ?id[=: ]+(?:Some\()?[A-Za-z0-9_-]{22}"


def without_node(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    return records.filter(col("node_id") != random.choice(nodes(records)))


def one_node(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    return records.filter(col("node_id") == random.choice(nodes(records)))


def without_file(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    """Without one of all files but server.log's."""
    files = records.filter(col("log") != "server")["file_id"].unique().sort().to_list()
    return records.filter(col("file_id") != random.choice(files))


def without_hour(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    """Without a tenth to a third of the time, at all nodes: a rolled hour that was not copied."""
    return without_time(random, records, pl.lit(value=True))


def without_hour_of_node(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    return without_time(random, records, col("node_id") == random.choice(nodes(records)))


def without_time(random: Random, records: pl.DataFrame, of: pl.Expr) -> pl.DataFrame:
    length = random.uniform(0.1, 0.33)
    begin = random.uniform(0, 1 - length)
    is_within = (col("logged_at") >= at(records, begin)) & (col("logged_at") < at(records, begin + length))
    return records.filter(~(of & is_within).fill_null(value=False))


def begin_missing(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    return records.filter(col("logged_at") >= at(records, random.uniform(0.1, 0.9)))


def end_missing(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    return records.filter(col("logged_at") < at(records, random.uniform(0.1, 0.9)))


def one_kind(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    return records.filter(col("log") == random.choice(kinds(records)))


def without_kind(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    return records.filter(col("log") != random.choice(kinds(records)))


def one_file(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    """One log of one node."""
    return one_kind(random, one_node(random, records))


def moves_from_info(_: Random, records: pl.DataFrame) -> pl.DataFrame:
    """state-change.log at INFO: up to 2.5 it prints no move of a partition but those that fail."""
    return records.filter((col("log") != "state-change") | ~is_below_info())


def from_info(_: Random, records: pl.DataFrame) -> pl.DataFrame:
    """All logs at INFO."""
    return records.filter(~is_below_info())


def is_below_info() -> pl.Expr:
    return col("level").is_in(("TRACE", "DEBUG")).fill_null(value=False)


def from_warnings(_: Random, records: pl.DataFrame) -> pl.DataFrame:
    """All loggers but server.log's at WARN."""
    is_loud = col("level").is_in(("WARN", "ERROR", "FATAL")) | (col("log") == "server")
    return records.filter(is_loud.fill_null(value=True))


def earlier(random: Random, records: pl.DataFrame) -> pl.DataFrame:
    """The logs of twelve days ago, or a part of them: the same nodes, other processes."""
    before = random.choice([whole, without_kind, without_node, end_missing])(random, records)
    return shifted(with_other_topic_ids(before))


def begin_and_end(random: Random, records: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Two stretches of time with lines missing between, the first one twelve days earlier: the epochs go on."""
    until, since = sorted((random.uniform(0.1, 0.8), random.uniform(0.2, 0.9)))
    before = records.filter(col("logged_at") < at(records, until))
    return shifted(before), records.filter(col("logged_at") >= at(records, since))


def shifted(records: pl.DataFrame) -> pl.DataFrame:
    return records.with_columns(
        pl.col(pl.Datetime("us", "UTC")) - pl.duration(days=EARLIER.days),
        file_id=pl.lit("earlier-") + col("file_id"),
    )


def with_other_topic_ids(records: pl.DataFrame) -> pl.DataFrame:
    """What was created in another life has ids of its own: Kafka gives none a second time."""
    text = records["raw"].cast(pl.String, strict=False)
    ids = (
        text.str.extract_all(TOPIC_ID).explode().drop_nulls().str.slice(-ID_LENGTH).unique().sort().to_list()
    )
    others = [("_" if one[0] != "_" else "-") + one[1:] for one in ids]
    if not ids:
        return records
    entry = pl.struct(
        pl.element().struct.field("key"), pl.element().struct.field("value").str.replace_many(ids, others)
    )
    entries = records["fields"].cast(pl.List(pl.Struct({"key": pl.String, "value": pl.String})))
    fields = entries.to_frame().select(col("fields").list.eval(entry).cast(records.schema["fields"]))[
        "fields"
    ]
    raw = pl.select(
        pl.coalesce(text.str.replace_many(ids, others).cast(pl.Binary), records["raw"])
    ).to_series()
    return records.with_columns(raw.alias("raw"), fields.alias("fields"))


def one_after_another(before: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    last = before["load_seq"].max()
    return pl.concat([before, records.with_columns(load_seq=col("load_seq") + last)])


def whole(_: Random, records: pl.DataFrame) -> pl.DataFrame:
    return records


def shared_server_log(_: Random, records: pl.DataFrame) -> pl.DataFrame:
    """All nodes wrote one server.log: what names no node there is of none."""
    of_server = records.filter(col("log") == "server")
    said = of_server["raw"].cast(pl.String, strict=False).str.extract(MESSAGE)
    named = pl.Series(values=message_writers(said.to_arrow().cast(pa.string())), dtype=pl.Int32)
    untold = of_server.filter(named.is_null()).with_columns(
        pl.lit(None).alias(name) for name in ("node_id", "event", "template", *NAMES_OF_SAID)
    )
    counts = col("not_understood_reason").is_null()
    untold = untold.with_columns(
        not_understood_reason=pl.when(counts).then(pl.lit("no_writer")).otherwise("not_understood_reason")
    )
    told = of_server.filter(named.is_not_null())
    both = pl.concat([told, untold.cast(records.schema)]).sort("logged_at", "file_id", "byte_offset")
    both = both.with_columns(file_id=pl.lit("server"), load_seq=pl.lit(0, pl.Int64))
    # Where it would stand in the one file.
    both = both.with_columns(byte_offset=col("byte_length").cum_sum() - col("byte_length"))
    return pl.concat([records.filter(col("log") != "server"), both])


def nodes(records: pl.DataFrame) -> list[int]:
    return records["node_id"].drop_nulls().unique().sort().to_list()


def kinds(records: pl.DataFrame) -> list[str]:
    return records["log"].unique().sort().to_list()


def at(records: pl.DataFrame, share: float) -> datetime:
    """The time at which this share of the time of the logs is over."""
    first, last = records.select(first=col("logged_at").min(), last=col("logged_at").max()).row(0)
    found: datetime = first + (last - first) * share
    return found


CUTS: dict[str, Cut] = {
    "without a node": without_node,
    "one node": one_node,
    "without a file": without_file,
    "without an hour": without_hour,
    "without an hour of a node": without_hour_of_node,
    "begin missing": begin_missing,
    "end missing": end_missing,
    "one kind of log": one_kind,
    "without a kind of log": without_kind,
    "one log of one node": one_file,
    "state-change.log at INFO": moves_from_info,
    "all logs at INFO": from_info,
    "warnings alone": from_warnings,
    "one server.log of all nodes": shared_server_log,
}
