"""What all rules say alike: names, numbers, facts, and the evidence that is kept."""

from functools import cache

import polars as pl
from polars import col, lit, when

from pipeline.core.frames import empty_frame
from pipeline.core.stretches import TIME
from pipeline.model.terms.succession import printed_controller_epoch
from schemas.gold.finding import SPEC

UNIT_MS = {"s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
SHORT_MS, SECONDS_MS = 100, 120_000  # below them: milliseconds, seconds with one decimal
# Two units below so many milliseconds; the last ones without a limit.
UNITS = ((UNIT_MS["h"], "min", "s"), (2 * UNIT_MS["d"], "h", "min"), (0, "d", "h"))
EVIDENCE = col("evidence")
EVIDENCE_KEPT = 5  # of so many rows
NO_TERM = lit(None, pl.String)
FRACTION = 25  # digits behind the point: a ratio has 17 that count, behind as many zeros as a million partitions give
# At the end of a text that is cut: inside a number, which is none of a name.
CUT_NUMBER, PART_OF_NUMBER = r"\d[.,:]?\d$", r"(^|[\s/:=(\[])-?\d[\d.,:]*$"
CONTROLLER = {"controller_id": col("controller_id"), "controller_epoch": printed_controller_epoch()}
PARTITION = {"topic": "topic", "partition": "partition"}
FACT_TYPES = empty_frame(SPEC).select(col("facts").struct.unnest()).schema


def severity_column(severity: str | pl.Expr) -> tuple[pl.Expr]:
    """The column that says how much it matters: a name, or an expression of names."""
    return ((lit(severity) if isinstance(severity, str) else severity).alias("severity"),)


def root_columns(
    kind: str | pl.Expr, at: str | pl.Expr | None = None, broker_id: str | pl.Expr | None = None
) -> dict[str, pl.Expr]:
    """The columns of the event at the root; kind: its name, or an expression of names."""

    def value(one: str | pl.Expr | None) -> pl.Expr:
        return col(one) if isinstance(one, str) else lit(None) if one is None else one

    return {
        "root_kind": lit(kind) if isinstance(kind, str) else kind,
        "root_at": value(at).cast(TIME),
        "root_broker_id": value(broker_id).cast(pl.Int32),
    }


def filled_text(text: str, *parts: str | pl.Expr) -> pl.Expr:
    """The text with a column or an expression for each {}; what is not known reads null."""
    values = (col(one) if isinstance(one, str) else one for one in parts)
    return pl.format(text, *(one.cast(pl.String).fill_null("null") for one in values))


def shortened_column(text: str | pl.Expr, most: int) -> pl.Expr:
    """The text; of a longer one so many letters and three dots, less a number that would not be whole."""
    value = col(text) if isinstance(text, str) else text
    begin = value.str.head(most)
    is_inside = value.str.head(most + 1).str.contains(CUT_NUMBER)
    whole = when(is_inside).then(begin.str.replace(PART_OF_NUMBER, "$1")).otherwise(begin)
    return when(value.str.len_chars() > most).then(pl.format("{}...", whole)).otherwise(value)


def facts_column(**values: str | pl.Expr) -> pl.Expr:
    """The column of facts: columns or expressions by the names of FACTS, as their types; the others are null. KeyError:
    a name that FACTS does not have."""
    if unknown := values.keys() - FACT_TYPES.keys():
        raise KeyError(
            f"expected facts of schemas/gold/finding.py, found {', '.join(sorted(unknown))}; declare them"
        )
    known = {
        name: (col(one) if isinstance(one, str) else one).cast(FACT_TYPES[name]).alias(name)
        for name, one in values.items()
    }
    return pl.struct((no_facts() | known).values()).alias("facts")


@cache
def no_facts() -> dict[str, pl.Expr]:
    """By name the null that stands for a fact that is not known: made once, as each finding has some hundred."""
    return {name: lit(None, kind).alias(name) for name, kind in FACT_TYPES.items()}


def plain_decimals(value: pl.Expr) -> pl.Expr:
    """A double in plain decimals, with all digits that it prints: 0.00025, 1."""
    exact = value.cast(pl.String).cast(pl.Decimal(38, FRACTION)).cast(pl.String)
    return exact.str.replace(r"\.?0+$", "")


def count_above_zero(count: pl.Expr) -> pl.Expr:
    """A count; null if it is 0."""
    return when(count > 0).then(count)


def rounded_decimals(value: pl.Expr, count: int) -> pl.Expr:
    """A double with so many decimals, rounded half up by the digits that it prints: 0.285 is 0.29, as in Java."""
    printed = value.cast(pl.String).cast(pl.Decimal(38, FRACTION))
    rounded = printed.round(count, mode="half_away_from_zero")
    return rounded.cast(pl.Decimal(38, count)).cast(pl.String)


def duration_text(ms: pl.Expr) -> pl.Expr:
    """Milliseconds in the units that people read: 71 ms, 12.3 s, 30 min 5 s, 14 h 16 min, 20 d 3 h."""
    spans = [(below, two_unit_text(ms, *names)) for below, *names in UNITS]
    found = when(ms < SHORT_MS).then(filled_text("{} ms", ms)).when(ms < SECONDS_MS).then(
        filled_text("{} s", rounded_decimals(ms / 1000, 1))
    )  # fmt: skip
    for below, text in spans[:-1]:
        found = found.when(ms < below).then(text)
    return found.otherwise(spans[-1][1])


def two_unit_text(ms: pl.Expr, large: str, small: str) -> pl.Expr:
    """In two units, rounded half up; the small one left out where it is 0."""
    count = (ms / UNIT_MS[small] + 0.5).floor().cast(pl.Int64)
    factor = UNIT_MS[large] // UNIT_MS[small]
    rest = when(count % factor > 0).then(filled_text(f" {{}} {small}", count % factor)).otherwise(lit(""))
    return filled_text(f"{{}} {large}{{}}", count // factor, rest)


def counted_noun(count: str | pl.Expr, noun: str) -> pl.Expr:
    """1 partition, 3 partitions."""
    number = col(count) if isinstance(count, str) else count
    return filled_text(f"{{}} {noun}{{}}", number, when(number == 1).then(lit("")).otherwise(lit("s")))


def epoch_millis(name: str) -> pl.Expr:
    return col(name).dt.epoch("ms")


def clock_time(at: str, told_at: str | pl.Expr) -> pl.Expr:
    """Time of day of a column, with its day where that is not the one of the finding: the day that is printed."""
    told = col(told_at) if isinstance(told_at, str) else told_at
    is_same_day = (col(at).dt.date() == told.dt.date()).fill_null(value=False)
    days = (col(at).dt.strftime(form) for form in ("%H:%M:%S", "%Y-%m-%d %H:%M:%S"))
    return when(is_same_day).then(next(days)).otherwise(next(days))


def ids_text(name: str) -> pl.Expr:
    """A list of ids as a text: 2, 1."""
    return col(name).cast(pl.List(pl.String)).list.join(", ")


def enumerated_ids(of: str | pl.Expr) -> pl.Expr:
    """A list of ids in a sentence: 3, 1 and 2."""
    ids = col(of) if isinstance(of, str) else of
    texts, count = ids.cast(pl.List(pl.String)), ids.list.len()
    several = filled_text("{} and {}", texts.list.head(count - 1).list.join(", "), texts.list.last())
    return when(count > 1).then(several).otherwise(texts.list.first())


def enumerated_nodes(name: str) -> pl.Expr:
    """node 1, nodes 1 and 2."""
    noun = when(col(name).list.len() == 1).then(lit("node")).otherwise(lit("nodes"))
    return filled_text("{} {}", noun, enumerated_ids(name))


def controller_name() -> pl.Expr:
    epoch = when(printed_controller_epoch().is_not_null()).then(filled_text("epoch {}", "controller_epoch"))
    return filled_text("controller {} ({})", "controller_id", epoch.otherwise(lit("epoch not told")))


def broker_name(broker_id: str = "broker_id") -> pl.Expr:
    return filled_text("broker {}", broker_id)


def partition_name_text(topic: str | pl.Expr = "topic", partition: str | pl.Expr = "partition") -> pl.Expr:
    return pl.concat_str(topic, partition, separator="-", ignore_nulls=True)


def kept_evidence(of: pl.Expr = EVIDENCE) -> pl.Expr:
    """The evidence of the first rows of a group, joined; the rows are sorted."""
    return of.head(EVIDENCE_KEPT).explode(empty_as_null=False, keep_nulls=False)


def topic_finding_columns(severity: str | pl.Expr) -> tuple[pl.Expr, ...]:
    """What findings about a topic have alike."""
    return (
        col("cluster_id"),
        *severity_column(severity),
        filled_text("topic {}", "topic").alias("entity"),
        NO_TERM.alias("term_id"),
    )


def named_lines(*names: str) -> pl.Expr:
    """Records of a row by what they say, in this order."""
    return pl.concat_list(col("lines").map.get(name).fill_null([]) for name in names)
