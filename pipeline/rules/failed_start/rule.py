"""The rule failed_start."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from polars import col, lit, when

from pipeline.kafka.wording.failed_starts import NOT_TOLD, in_words
from pipeline.model.brokers.failed_starts import BEGINS, ENDING, NODE, start_failures, start_lines
from pipeline.model.brokers.unnamed_nodes import lines_of_any, node_id_for_people, unnamed_node_starts
from pipeline.model.brokers.up_signs import (
    IN_WORDS,
    JOINED,
    REGISTERED,
    STARTED,
    with_first_up_sign,
    without_failing,
)
from pipeline.model.lines.evidence import LINE, NO_LINES, known_lines
from pipeline.rules.rule import Rule
from pipeline.rules.shared.faults import node_name
from pipeline.rules.shared.wording import (
    NO_TERM,
    count_above_zero,
    duration_text,
    epoch_millis,
    facts_column,
    filled_text,
    root_columns,
    severity_column,
)

CASE = (*NODE, "up_at", "cause")
FIRST = (
    "owner_session",
    "owner_node_id",
    "owner_lines",
    "cause_fields",
    "detail",
    "exception",
    "error",
    "prints_starts",
)
ID_TAKEN = "cause_broker_id_taken"
# Another process of the node may go on.
BESIDE = ("cause_lock_held", "cause_bind_failed")
SERVER_LOGS = ("server", "mixed")
# Away for so long a node leaves others its work, and its replicas behind.
LONG_MS = 300_000
# Who starts a process again and again waits no longer (Kubernetes: five minutes at most).
STILL_MS = 600_000


def find(
    node_event: pl.DataFrame,
    broker_event: pl.DataFrame,
    wording_seen: pl.DataFrame,
    up_signs: pl.DataFrame,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """A node does not come up: one finding for its failed starts one after another for one cause, until it comes up. A
    warning as long as it does not, where it was away for five minutes, and where two processes have one id.

    up_signs: of up_signs. Where a line only shows that it was up by then, at_most_ms is in the place of lasted_ms.
    Source: KafkaServer.startup, BrokerServer.startup, ControllerServer.startup, SharedServer.start, Kafka.main.
    """
    starts = start_lines(node_event, broker_event)
    found = (
        start_failures(starts)
        .pipe(with_owner, node_event)
        .pipe(with_arrival, pl.concat([up_signs, unnamed_node_starts(starts)]).sort("up_at"))
        .pipe(with_start_doubt, starts, broker_event, wording_seen)
        .sort(*NODE, "failed_at", *LINE)
        .group_by(CASE, maintain_order=True)
        .agg(
            *(col(name).first() for name in FIRST),
            count=pl.len(),
            first_at=col("failed_at").first(),
            last_at=col("failed_at").last(),
            up_line=col("up_line").first(),
            sign=col("sign").first(),
            is_in_doubt=col("is_in_doubt").last(),
            first_lines=col("lines").first(),
            last_line=col("why_line").last(),
        )
        .with_columns(node_id=node_id_for_people())
        .pipe(in_sentences)
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id")
    )
    failing_ms, until_ms = (epoch_millis(name) - epoch_millis("first_at") for name in ("last_at", "up_at"))
    is_bound = col("sign").is_in(list(IN_WORDS)).fill_null(value=False)
    has_another = (col("owner_node_id") != col("node_id")).fill_null(value=False)
    is_harmless = (until_ms < LONG_MS).fill_null(value=False) & ~has_another
    # Where no start is printed, as at WARN, none that succeeded could be seen.
    is_recent = epoch_millis("until_at") - epoch_millis("last_at") < STILL_MS
    is_still = (col("prints_starts") | is_recent) & ~col("is_in_doubt")
    end = (
        when(is_bound)
        .then(filled_text("; it came up within {} ({})", duration_text(until_ms), sign_in_words()))
        .when(col("up_at").is_not_null())
        .then(filled_text("; it came up {} later", duration_text(until_ms)))
        .when(is_still)
        .then(lit("; no line shows it up since"))
        .otherwise(lit("; whether it came up is not known"))
    )
    many = (
        when(col("count") > 1)
        .then(filled_text(" {} times in {}", "count", duration_text(failing_ms)))
        .otherwise(lit(""))
    )
    return found.select(
        "cluster_id",
        *severity_column(when(is_harmless).then(lit("info")).otherwise(lit("warning"))),
        entity=node_name(),
        root_event=filled_text("{} at {}", "cause", epoch_millis("first_at")),
        **root_columns("failed start", "first_at", "node_id"),
        term_id=NO_TERM,
        valid_from_at="first_at",
        valid_until_at=when(is_still | col("up_at").is_not_null()).then("up_at").otherwise("last_at"),
        sentence=filled_text("{} failed to start{}: {}{}; {}", node_name(), many, "why", end, "todo"),
        facts=facts_column(
            node_id="node_id",
            cause="cause",
            failures_count="count",
            failing_ms=count_above_zero(failing_ms),
            lasted_ms=when(~is_bound).then(until_ms),
            at_most_ms=when(is_bound).then(until_ms),
            owner_session="owner_session",
            owner_node_id="owner_node_id",
        ),
        certainty=when(col("cause") == NOT_TOLD).then(lit("inferred")).otherwise(lit("proved")),
        evidence=pl.concat_list("first_lines", "owner_lines", "last_line", "up_line").list.unique(
            maintain_order=True
        ),
    )


def sign_in_words() -> pl.Expr:
    up_at = col("up_at").dt.strftime("%H:%M:%S")
    return pl.coalesce(
        when(col("sign") == sign).then(filled_text(text, up_at)) for sign, text in IN_WORDS.items()
    )


def with_owner(failed: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """owner_node_id: the node in whose log the session was established that holds the id; owner_lines: that it holds
    it, and that it was established. The owner is printed as a decimal up to 3.4, sessions always in hexadecimal."""
    sessions = (
        node_event.filter(col("step") == "established", col("session_id").is_not_null())
        .sort("logged_at", *LINE)
        .unique(["cluster_id", "session_id"], keep="first", maintain_order=True)
        .select("cluster_id", "session_id", owner_node_id="node_id", session_line=known_lines(LINE))
    )
    owners = failed["owner_session"].drop_nulls().unique().to_list()
    spelled = [(owner, one) for owner in owners for one in session_id_spellings(owner)]
    texts = pl.DataFrame(spelled, schema={"owner_session": pl.String, "session_id": pl.String}, orient="row")
    held = (
        failed.select("cluster_id", "owner_session").unique(maintain_order=True)
        .join(texts, on="owner_session")
        .join(sessions, on=["cluster_id", "session_id"])
        .unique(["cluster_id", "owner_session"], keep="first", maintain_order=True)
        .drop("session_id")
    )  # fmt: skip
    return failed.join(held, on=["cluster_id", "owner_session"], how="left").with_columns(
        owner_lines=pl.concat_list(
            col("owner_line").fill_null(NO_LINES), col("session_line").fill_null(NO_LINES)
        )
    )


def with_arrival(failed: pl.DataFrame, signs: pl.DataFrame) -> pl.DataFrame:
    """up_at, up_line and sign of the first sign that the node was up, after each failure; has_sign: there is one. Not
    where it may be of another process: one that has the id, or that holds the directory or the address."""
    is_own = (col("owner_node_id") == col("node_id")).fill_null(value=False)
    found = failed.pipe(with_first_up_sign, without_failing(signs, failed), "over_at")
    is_start = col("sign").is_in([STARTED, JOINED, REGISTERED])
    is_its = (
        when(col("cause") == ID_TAKEN).then(is_own | (col("sign") == STARTED))
        .when(col("cause").is_in(BESIDE)).then(is_start)
        .otherwise(lit(value=True))
    )  # fmt: skip
    return found.with_columns(
        has_sign=col("up_at").is_not_null(),
        up_at=when(is_its).then("up_at"),
        sign=when(is_its).then("sign"),
        up_line=when(is_its).then("up_line").otherwise(NO_LINES),
    )


def with_start_doubt(
    failed: pl.DataFrame, starts: pl.DataFrame, broker_event: pl.DataFrame, wording_seen: pl.DataFrame
) -> pl.DataFrame:
    """is_in_doubt: the node may have come up, or did, as a line of it or about it says that a node prints also in a
    start that fails; its own server.log tells more, but where no start is in it since."""
    over = failed.group_by(NODE).agg(col("over_at").max())
    begun = starts.filter(col("step").is_in(BEGINS)).group_by(NODE).agg(begun_at=col("logged_at").max())
    replays = broker_event.filter(
        col("said_by") == "replay", col("step").is_in(["unfenced", "added_unfenced"])
    )
    lines = pl.concat(
        [
            wording_seen.select(*NODE, at="last_at", is_own=col("log").is_in(SERVER_LOGS)),
            replays.select("cluster_id", node_id="broker_id", at="logged_at", is_own=lit(value=False)),
            lines_of_any(wording_seen, failed),
        ]
    )
    is_starting = (col("begun_at") > col("over_at")).fill_null(value=False)
    doubted = (
        lines.join(over, on=NODE)
        .join(begun, on=NODE, how="left")
        .filter(col("at") > col("over_at") + ENDING, ~(col("is_own") & is_starting))
        .select(NODE)
        .unique()
    )
    known = doubted.with_columns(has_lines=lit(value=True))
    return failed.join(known, on=list(NODE), how="left").with_columns(
        is_in_doubt=col("up_at").is_null() & (col("has_sign") | col("has_lines").fill_null(value=False))
    )


def session_id_spellings(owner: str) -> Iterator[str]:
    """A session in hexadecimal: as printed, or of the decimal that it is."""
    yield owner
    if owner.removeprefix("-").isdecimal():
        yield f"{int(owner) % (1 << 64):x}"


def in_sentences(found: pl.DataFrame) -> pl.DataFrame:
    """With why and todo, words of failed_starts.tsv."""
    told = [in_words(row["cause"], known_of(row)) for row in found.iter_rows(named=True)]
    return found.with_columns(
        pl.Series("why", [why for why, _ in told], pl.String),
        pl.Series("todo", [todo for _, todo in told], pl.String),
    )


def known_of(row: Mapping[str, Any]) -> dict[str, str]:
    """What the lines of the start name, by the places of failed_starts.tsv."""
    is_own = row["owner_node_id"] == row["node_id"]
    known = {
        **dict(row["cause_fields"] or {}),
        "id": row["node_id"],
        "detail": row["detail"],
        "exception": row["exception"],
        "error": row["error"],
        "owner_session": row["owner_session"],
        "own_session": row["owner_session"] if is_own else None,
        "owner_node_id": None if is_own else row["owner_node_id"],
    }
    return {name: str(value) for name, value in known.items() if value is not None}


RULE = Rule(
    name="failed_start",
    version=3,
    severities=("warning", "info"),
    facts=(
        "node_id",
        "cause",
        "failures_count",
        "failing_ms",
        "lasted_ms",
        "at_most_ms",
        "owner_session",
        "owner_node_id",
    ),
    find=find,
)
