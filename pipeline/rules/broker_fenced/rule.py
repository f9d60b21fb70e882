"""The rule broker_fenced."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.span_join import rows_in_spans
from pipeline.core.stretches import FAR
from pipeline.model.lines.evidence import LINE, LINES_TYPE, known_lines
from pipeline.rules.rule import Rule, of_rows
from pipeline.rules.shared.causes import because, cause_facts, is_known, with_cause_lines
from pipeline.rules.shared.wording import (
    broker_name,
    clock,
    counted,
    facts,
    graded,
    length,
    millis,
    root,
    words,
)
from schemas.end_reasons import SIGNALLED

BROKER = ("cluster_id", "broker_id")
FILE = ("cluster_id", "file_id")
TIMED_OUT, UNFENCED = "session_timed_out", "unfence_granted"
REGISTERED = ("registered", "registered_again")
CHANGED = "handleBrokerFenced"  # the trigger of the line that counts what a fence changed
AT_ONCE = timedelta(seconds=1)  # lines of one decision
# A broker is fenced so long after what ended it, or first left something without a leader.
SOON = timedelta(seconds=30)
# A controller that says nothing for so long may have gone on in a file that is not there.
STILL = timedelta(minutes=10)
# Rules that tell a departure with more of what it did.
OF_ONE_EVENT = ("outage", "unclean_shutdown", "log_dir_failed", "fatal_fault")
OF_SEVERAL = ("broker_flapping",)


@of_rows("broker_session")
def find(
    broker_session: pl.DataFrame,
    broker_event: pl.DataFrame,
    election_event: pl.DataFrame,
    controller_term: pl.DataFrame,
    earlier: pl.DataFrame,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """A KRaft controller fenced a broker of which it heard no heartbeat for its session: a warning, and told, no more,
    where the broker had asked to be shut down, or its process was told to stop.

    earlier: findings of OF_ONE_EVENT and OF_SEVERAL. No finding: a fence that one of them tells; one that may be of a
    broker that had left before the logs begin, as its line is the first of it and no line says that it changed a
    partition (from 4.0 a broker that was shut down is fenced once more).
    Source: ReplicationControlManager.maybeFenceStaleBroker, handleBrokerFenced, from 2.8.
    """
    fenced = (
        fences(broker_session, broker_event)
        .pipe(with_changed, election_event)
        .filter((col("changed") > 0).fill_null(value=False) | (col("joined_how") != "before_data"))
        .pipe(without_told, earlier)
        .pipe(with_return, broker_session, broker_event)
        .pipe(with_offset, "back_line", "back_offset", broker_event)
        .pipe(with_watch, controller_term, data_end)
        .pipe(with_process, broker_event)
    )
    is_ordered = col("shutdown_requested_at").list.len().gt(0) | (col("end_reason") == SIGNALLED).fill_null(
        value=False
    )
    lasted_ms = millis("back_at") - millis("left_at")
    is_back = col("back_at").is_not_null()
    until = when(is_back).then(words(" to {} ({})", clock("back_at", "left_at"), length(lasted_ms)))
    still = when("is_watched").then(lit(", still so at the end of the data"))
    end = until.otherwise(still.otherwise(lit(", until when no line tells")))
    asked = when(is_ordered).then(lit(", though it was being shut down")).otherwise(lit(""))
    changed = (
        when(col("changed") > 0)
        .then(words("; {} changed leader or ISR", counted("changed", "partition")))
        .otherwise(lit(""))
    )
    return fenced.select(
        "cluster_id",
        *graded(when(is_ordered).then(lit("info")).otherwise(lit("warning"))),
        entity=broker_name(),
        root_event=words("broker left at {}", millis("left_at")),
        **root("broker left", "left_at", "broker_id"),
        term_id="left_term_id",
        valid_from_at="left_at",
        valid_until_at=when(is_back).then("back_at").when(~col("is_watched")).then("left_at"),
        sentence=words(
            "{} was fenced from {}{}: the controller heard nothing of it for its session{}{}{}{}",
            *(broker_name(), clock("left_at", "left_at"), end, asked, because("left_at"), changed, process()),
        ),
        facts=facts(
            broker_id="broker_id",
            changed_count=when(col("changed") > 0).then("changed"),
            lasted_ms=lasted_ms,
            is_same_process=when(is_back).then("is_same_process"),
            **cause_facts(),
        ),
        certainty=lit("proved"),
        evidence=with_cause_lines(lines()),
    )


def lines() -> pl.Expr:
    """The fence, what it changed, and where it is told how it ended: its end and what shows which process it was."""
    is_back = col("back_at").is_not_null()
    ends = (when(is_back).then(name).fill_null(lit([], LINES_TYPE)) for name in ("back_line", "process_line"))
    return pl.concat_list("lines", *ends).list.unique(maintain_order=True)


def process() -> pl.Expr:
    """Whether the same process was there again; empty where its own server.log says more, or no line tells."""
    lived = lit("; its process lived on: it was frozen or cut off, not stopped")
    another = words("; another process of it registered at {}", clock("registered_at", "left_at"))
    is_same = when(~is_known()).then("is_same_process")
    return when(is_same).then(lived).when(~is_same).then(another).otherwise(lit(""))


def fences(broker_session: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """Stays in KRaft that the controller in office ended as it heard nothing, with fence, that line."""
    timed_out = broker_event.filter(col("said_by") == "decision", col("step") == TIMED_OUT)
    lines = timed_out.select(*BROKER, *LINE, fenced_epoch="broker_epoch")
    last = col("evidence").list.last().struct
    first_line = when(col("evidence").list.len() > 1).then(col("evidence").list.head(1))
    return (
        broker_session.filter(col("mode") == "kraft", col("left_how") == "uncontrolled")
        .with_columns(**{name: last.field(name) for name in LINE})
        .join(lines, on=[*BROKER, *LINE], how="inner")
        .with_columns(lines=known_lines(LINE), own_line=first_line)
        .pipe(with_offset, "own_line", "own_offset", broker_event)
    )


def with_offset(fenced: pl.DataFrame, line: str, name: str, broker_event: pl.DataFrame) -> pl.DataFrame:
    """Where the registration stands in the metadata log with which that line unfenced the broker."""
    first, names = col(line).list.first().struct, [f"unfenced_{one}" for one in LINE]
    key = [*BROKER, *names]
    offsets = broker_event.filter(col("step") == UNFENCED).select(
        *BROKER, *(col(one).alias(f"unfenced_{one}") for one in LINE), col("registered_offset").alias(name)
    )
    places = (first.field(one).alias(f"unfenced_{one}") for one in LINE)
    return fenced.with_columns(places).join(offsets, on=key, how="left").drop(names)


def with_changed(fenced: pl.DataFrame, election_event: pl.DataFrame) -> pl.DataFrame:
    """changed: partitions of which the fence changed leader or ISR, as the next line of that controller says; null: it
    says nothing of it. Its line stands behind that of the fence in lines."""
    batches = election_event.filter(col("step") == "batch", col("trigger") == CHANGED).select(
        *FILE, "logged_at", offset="byte_offset", changed="partition_count", changed_line=known_lines(LINE)
    )
    next_at = col("byte_offset").shift(-1).over(*FILE, order_by="byte_offset")
    is_its_own = (col("offset") < col("next_at")).fill_null(value=True)
    is_its_own &= col("logged_at") - col("left_at") <= AT_ONCE
    found = (
        fenced.with_columns(next_at=next_at)
        .sort("byte_offset")
        .join_asof(
            batches.sort("offset"), left_on="byte_offset", right_on="offset", by=FILE, strategy="forward",
            coalesce=False, check_sortedness=False,
        )
        .with_columns(when(is_its_own).then(name).alias(name) for name in ("changed", "changed_line"))
    )  # fmt: skip
    return found.with_columns(lines=with_lines("changed_line")).drop("offset", "next_at", "logged_at")


def with_lines(name: str) -> pl.Expr:
    """lines and behind them those of a column, where there are some."""
    return pl.concat_list("lines", col(name).fill_null(lit([], LINES_TYPE)))


def without_told(fenced: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Fences that no other finding tells: one event by its begin, several departures by their time."""
    fact = col("facts").struct.field
    only = pl.coalesce(fact("broker_id"), fact("node_id"))
    ids = pl.coalesce(fact("broker_ids"), pl.concat_list(only))
    is_several = col("rule").is_in(OF_SEVERAL)
    spans = told.filter(col("rule").is_in([*OF_ONE_EVENT, *OF_SEVERAL])).select(
        "cluster_id",
        from_at=when(col("rule") == "unclean_shutdown").then("root_at").otherwise("valid_from_at") - AT_ONCE,
        until_at=when(is_several).then("valid_until_at").otherwise(col("valid_from_at")),
        is_several=is_several,
        broker_id=ids,
    )
    spans = spans.explode("broker_id").with_columns(
        until_at=when("is_several")
        .then("until_at")
        .otherwise(pl.max_horizontal("from_at", "until_at") + SOON),
    )
    found = rows_in_spans(
        spans.drop_nulls("broker_id"), fenced.select(*BROKER, "left_at"), BROKER, ("from_at", "until_at"),
        "left_at", closed="both",
    )  # fmt: skip
    return fenced.join(found.select(*BROKER, "left_at"), on=[*BROKER, "left_at"], how="anti")


def with_return(
    fenced: pl.DataFrame, broker_session: pl.DataFrame, broker_event: pl.DataFrame
) -> pl.DataFrame:
    """back_at, back_epoch: when it was unfenced next, by the controller or by its own line, and the epoch of its
    registration then. That line stands at the end of lines."""
    unfenced = broker_session.filter(col("mode") == "kraft", col("joined_how") != "before_data").select(
        *BROKER, back_at="joined_at", back_epoch="broker_epoch", back_line=col("evidence").list.head(1)
    )
    is_own = (col("said_by") == "broker") & (col("step") == "running")
    running = broker_event.filter(is_own, col("broker_id").is_not_null()).select(
        *BROKER, running_at="logged_at", running_line=known_lines(LINE)
    )
    is_missed = (col("running_at") + AT_ONCE < pl.coalesce("back_at", FAR)).fill_null(value=False)
    found = fenced.sort("left_at")
    for rows, at in ((unfenced, "back_at"), (running, "running_at")):
        found = found.join_asof(
            rows.sort(at), left_on="left_at", right_on=at, by=BROKER, strategy="forward", coalesce=False,
            allow_exact_matches=False, check_sortedness=False,
        )  # fmt: skip
    return found.with_columns(
        back_at=when(is_missed).then("running_at").otherwise("back_at"),
        back_epoch=when(~is_missed).then("back_epoch"),
        back_line=when(is_missed).then("running_line").otherwise("back_line"),
    )


def with_watch(fenced: pl.DataFrame, controller_term: pl.DataFrame, data_end: pl.DataFrame) -> pl.DataFrame:
    """Fences with back_at only where no controller came in between of which no line was read, who may have unfenced it;
    is_watched: it was not unfenced, and a controller that was read says something until the end of the data."""
    terms = controller_term.filter(col("mode") == "kraft")
    unseen = terms.filter(col("elected_at").is_null()).select(
        "cluster_id", unseen_id="term_id", unseen_at="last_act_at", over_at=pl.coalesce("superseded_at", FAR)
    )
    key = [*BROKER, "left_at"]
    is_other = col("unseen_id") != col("left_term_id")
    is_between = (col("over_at") > col("left_at")) & (col("unseen_at") < pl.coalesce("back_at", FAR))
    doubted = fenced.join(unseen, on="cluster_id").filter(is_other, is_between).select(key).unique()
    heard = terms.group_by("cluster_id").agg(heard_at=col("last_act_at").max())
    is_sure = ~col("is_in_doubt").fill_null(value=False)
    is_heard = (col("until_at") - col("heard_at") < STILL).fill_null(value=False)
    return (
        fenced.join(doubted.with_columns(is_in_doubt=lit(value=True)), on=key, how="left")
        .join(heard, on="cluster_id", how="left")
        .join(data_end.select("cluster_id", "until_at"), on="cluster_id", how="left")
        .with_columns(back_at=when(is_sure).then("back_at"), is_watched=is_sure & is_heard)
    )


def with_process(fenced: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """is_same_process: its registration is still that of before, or another process registered, at registered_at; null:
    no line tells. The line of that stands in process_line: of the same one the line that began its stay."""
    registered = (
        broker_event.filter(col("said_by") == "replay", col("step").is_in(REGISTERED))
        .sort("logged_at", *LINE)
        .select(
            *BROKER, back_epoch="broker_epoch", registered_at="logged_at", registered_line=known_lines(LINE)
        )
        .unique([*BROKER, "back_epoch"], keep="first", maintain_order=True)
    )
    # No line of 3.3 to 3.5 says the epoch.
    back_epoch = pl.coalesce("back_epoch", "back_offset")
    is_same = pl.coalesce(col("own_offset") == col("back_offset"), col("fenced_epoch") == back_epoch)
    is_new = col("registered_at").is_between("left_at", "back_at")
    is_another = (is_new & is_same.not_().fill_null(value=True)).fill_null(value=False)
    own_line = when(col("evidence").list.len() > 1).then(col("evidence").list.head(1))
    found = fenced.with_columns(back_epoch=back_epoch).join(
        registered, on=[*BROKER, "back_epoch"], how="left"
    )
    return found.with_columns(
        is_same_process=when(is_another).then(lit(value=False)).when(is_same).then(lit(value=True)),
        process_line=when(is_another).then("registered_line").when(is_same).then(own_line),
    )


RULE = Rule(
    name="broker_fenced",
    version=1,
    severities=(
        "warning",
        "info",
    ),
    facts=(
        "broker_id",
        "changed_count",
        "lasted_ms",
        "is_same_process",
        "end_reasons",
        "first_sign_ms",
    ),
    find=find,
    after=(
        "outage",
        "log_dir_failed",
        "broker_flapping",
        "unclean_shutdown",
        "fatal_fault",
    ),
)
