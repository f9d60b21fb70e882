"""What the product's tables say of a generated cluster beside what is true of it."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl
from polars import col, lit

from tests.generated.held import DELETED, NO_LEADER

TABLES = (
    "partition_timeline",
    "partition_outage",
    "controller_term",
    "imbalance_check",
    "transition_audit",
    "finding",
)
SHOWN_LATE_MS = {"zk": 0, "kraft": 1000}  # brokers print in KRaft what a controller decided before
PARTITION = ("topic", "partition")
SOUND = ("first", "valid", "same_state", "failed")  # verdicts of a controller that does what it should


def read_truth(folder: Path) -> dict[str, pl.DataFrame]:
    return {one.stem: pl.read_parquet(one) for one in folder.glob("*.parquet")}


def differences(
    tables: Mapping[str, pl.DataFrame], truth: Mapping[str, pl.DataFrame]
) -> dict[str, list[str]]:
    """By what is compared the rows in which they differ, ten at most: '-' true but not found, '+' found but not true."""
    late_ms = SHOWN_LATE_MS[truth["cluster"]["mode"].item()]
    return {
        "leaders": leaders_apart(tables["partition_timeline"], truth["leaders"]),
        "outages": outages_apart(tables["partition_outage"], truth["outages"], late_ms),
        "terms": apart(terms_found(tables["controller_term"]), truth["terms"]),
        "ratios": apart(ratios_found(tables["imbalance_check"]), true_ratios(truth["ratios"])),
        "moves": apart(moves_found(tables["transition_audit"]), truth["moves"]),
        "verdicts": unsound(tables["transition_audit"]),
        "findings": findings_apart(tables["finding"], truth),
        "unclean": apart(unclean_found(tables["finding"]), truth["unclean"].drop("at")),
    }


def apart(found: pl.DataFrame, true: pl.DataFrame) -> list[str]:
    found = found.select(col(name).cast(true.schema[name]) for name in true.columns)
    missing = true.join(found, on=true.columns, how="anti", nulls_equal=True)
    invented = found.join(true, on=true.columns, how="anti", nulls_equal=True)
    counts = [] if found.height == true.height else [f"{found.height:,} rows, {true.height:,} are true"]
    return counts + [f"- {row}" for row in missing.rows()[:5]] + [f"+ {row}" for row in invented.rows()[:5]]


def ms(name: str) -> pl.Expr:
    return col(name).dt.epoch("ms")


def leaders_apart(timeline: pl.DataFrame, leaders: pl.DataFrame) -> list[str]:
    """Who led in which order, and since when: from the decision to the last line that shows it."""
    rows = timeline.filter(col("leader").is_not_null()).with_columns(at=ms("valid_from_at"))
    found = changes(pl.concat([rows.select(*PARTITION, "leader", "at"), deletions(timeline)]))
    true = changes(leaders.select(*PARTITION, "leader", begin="at", end="shown"), "begin")
    typed = found.cast({"partition": pl.Int64, "leader": pl.Int64})
    joined = true.join(typed, on=[*PARTITION, "place", "leader"], how="full", coalesce=True)
    return wrong_rows(joined, col("at").is_between("begin", "end"))


def deletions(timeline: pl.DataFrame) -> pl.DataFrame:
    """The ends of lives of topics."""
    lives = timeline.group_by(*PARTITION, "topic_life").agg(
        at=col("valid_until_at").max().dt.epoch("ms"), is_open=col("valid_until_at").is_null().any()
    )
    return lives.filter(~col("is_open")).select(*PARTITION, lit(DELETED, pl.Int32).alias("leader"), "at")


def changes(rows: pl.DataFrame, at: str = "at") -> pl.DataFrame:
    """Rows whose leader is another one than in the row before, with their place; how long there was none is told as an
    outage."""
    ordered = rows.filter(col("leader") != NO_LEADER).sort(*PARTITION, at, maintain_order=True)
    changed = ordered.filter(col("leader").ne_missing(col("leader").shift(1).over(*PARTITION)))
    return changed.with_columns(place=pl.int_range(pl.len()).over(*PARTITION))


def outages_apart(outage: pl.DataFrame, true: pl.DataFrame, late_ms: int) -> list[str]:
    """An outage that no controller wrote down as it began is noticed by the next one, in its time."""
    order = pl.int_range(pl.len()).over(*PARTITION)
    found = outage.select(
        "topic",
        col("partition").cast(pl.Int64),
        ended=ms("ended_at"),
        seen=ms("noticed_at"),
        since=ms("unserved_from_at"),
    )
    found = found.sort(*PARTITION, "seen").with_columns(place=order)
    both = (
        true.sort(*PARTITION, "from")
        .with_columns(place=order)
        .join(found, on=[*PARTITION, "place"], how="full", coalesce=True)
    )
    is_so = (
        col("seen").is_between("from", "until")
        & col("ended").is_between("until", col("until") + late_ms)
        & (col("noticed").is_null() | col("seen").is_between("noticed", col("noticed") + late_ms))
        & (col("since").is_null() | (col("since") <= col("from")))
    )
    return wrong_rows(both, is_so)


def wrong_rows(rows: pl.DataFrame, is_so: pl.Expr) -> list[str]:
    return [str(row) for row in rows.filter(~is_so.fill_null(value=False)).rows()[:10]]


def terms_found(controller_term: pl.DataFrame) -> pl.DataFrame:
    return controller_term.with_columns(elected_at=ms("elected_at"))


def ratios_found(imbalance_check: pl.DataFrame) -> pl.DataFrame:
    counts = {"led_elsewhere": "led_elsewhere_count", "preferred": "preferred_count"}
    return imbalance_check.with_columns(
        at=ms("checked_at"), ratio="kafka_ratio", ours="imbalance_ratio", **counts
    )


def true_ratios(ratios: pl.DataFrame) -> pl.DataFrame:
    ratio = col("led_elsewhere") / col("preferred")
    return ratios.with_columns(ratio=ratio, ours=ratio)


def moves_found(transition_audit: pl.DataFrame) -> pl.DataFrame:
    done = transition_audit.filter(outcome="done")
    return done.group_by("machine", "from_state", "to_state").agg(count=pl.len())


def unsound(transition_audit: pl.DataFrame) -> list[str]:
    bad = (
        transition_audit.filter(~col("verdict").is_in(SOUND))
        .group_by("verdict", "from_state", "to_state")
        .len()
    )
    return [str(row) for row in bad.sort(bad.columns).rows()[:10]]


def unclean_found(finding: pl.DataFrame) -> pl.DataFrame:
    rows = finding.filter(rule="unclean_election").unnest("facts")
    return rows.select("topic", "partition", leader="leader")


def findings_apart(finding: pl.DataFrame, truth: Mapping[str, pl.DataFrame]) -> list[str]:
    """Rules that find more, or less, than there is: a controller that is killed may leave a gap too short to be told."""
    departures = truth["departures"].filter(how="killed")
    killed = departures.filter("was_controller").height
    unclean, any_number = truth["unclean"].height, finding.height
    fenced = departures.height - killed if truth["cluster"]["mode"].item() == "kraft" else 0
    least = {"unclean_election": unclean}
    most = {
        "no_controller": killed,
        "broker_fenced": fenced,
        "outage": any_number,
        "broker_flapping": any_number,
    } | least
    found = dict(finding.group_by("rule").len().rows())
    return [
        f"{rule}: {found.get(rule, 0)}, {least.get(rule, 0)} to {most.get(rule, 0)} are true"
        for rule in sorted(found | least)
        if not least.get(rule, 0) <= found.get(rule, 0) <= most.get(rule, 0)
    ]
