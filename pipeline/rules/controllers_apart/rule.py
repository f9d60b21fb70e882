"""The rule controllers_apart."""

from datetime import timedelta

import polars as pl
from polars import col, lit

from pipeline.core.made_of import needs_rows_of
from pipeline.model.brokers.session_limits import EARLIER_SECONDS, default_seconds
from pipeline.model.lines.evidence import LINE, evidence_line
from pipeline.model.terms.term_steps import LIVE
from pipeline.rules.rule import Rule, made_of_rows
from pipeline.rules.shared.wording import NO_TERM, facts_column, filled_text, root_columns, severity_column

# The steps of one take-over.
ONE_START = timedelta(minutes=1)
# Steps of a take-over; who prints them has just read or written ZooKeeper.
IN_OFFICE = (
    *("controller_elected", "controller_failover_started", "controller_failover_step", "controller_ready"),
    "controller_scheduler_started",
)
# By them a controller is over, or hears of another one.
OVER = (
    *("resigning", "resigned", "forced", "fenced", "session_expired", "session_expired_in_office", "stopped"),
    *("thread_stopping", "thread_stopped", "thread_shut_down", "starting", "thread_starting", "observed"),
)
OWN = ("cluster_id", "controller_id")
PAIR = (*OWN, "other_id")


@made_of_rows("controller_step")
def find(
    controller_step: pl.DataFrame, broker_event: pl.DataFrame, release_span: pl.DataFrame
) -> pl.DataFrame:
    """A ZooKeeper controller takes over and finds no other broker alive, while another one took over too short a time
    before for its session to have run out, and no line says that it gave up: as where each has a ZooKeeper, or a
    chroot, of its own. None where a line of the one ever names the other one.

    Source: KafkaController.onControllerFailover, 0.8 to 3.9; /controller and /brokers/ids last as long as a session.
    """
    said = controller_step.with_columns(controller_id=pl.coalesce("node_id", "controller_id"))
    acts = said.filter(
        col("event").is_in(IN_OFFICE), pl.all_horizontal(col("controller_id", "logged_at").is_not_null())
    )
    before = acts.select(
        "cluster_id", other_id="controller_id", acted_at="logged_at", other_line=evidence_line()
    )
    pairs = (
        lone_broker_lists(broker_event)
        .pipe(with_takeover_begin, acts)
        .join(before, on="cluster_id")
        .filter(col("other_id") != col("controller_id"), col("acted_at") < col("began_at"))
        .sort(*PAIR, "listed_at", "acted_at", "other_line")
        .unique([*PAIR, "listed_at"], keep="last", maintain_order=True)
        .pipe(with_session, release_span)
        .filter(col("began_at") - col("acted_at") < pl.duration(seconds="seconds"))
        .pipe(without_end, said)
        .join(acquainted_pairs(said, broker_event), on=PAIR, how="anti")
        .unique(PAIR, keep="first", maintain_order=True)
    )
    sentence = (
        "controller {} took over and found no broker but itself, though controller {} had taken over just before and "
        "no line tells that it resigned: the two do not see each other, as if each had a ZooKeeper (or chroot) of its "
        "own, unless broker {} was stopped between"
    )
    return pairs.select(
        "cluster_id",
        *severity_column("warning"),
        entity=filled_text(
            "controllers {} and {}",
            pl.min_horizontal("controller_id", "other_id"),
            pl.max_horizontal("controller_id", "other_id"),
        ),
        root_event=filled_text("controller {} alone", "controller_id"),
        **root_columns("controller", "began_at", "controller_id"),
        term_id=NO_TERM,
        valid_from_at="began_at",
        valid_until_at="listed_at",
        sentence=filled_text(sentence, "controller_id", "other_id", "other_id"),
        facts=facts_column(controller_id="controller_id", other_id="other_id"),
        certainty=lit("inferred"),
        evidence=pl.concat_list("other_line", "own_line", "list_line"),
    )


def lone_broker_lists(broker_event: pl.DataFrame) -> pl.DataFrame:
    """(OWN, listed_at, list_line): lines in which a controller lists itself alone as alive."""
    controller_id = pl.coalesce("node_id", "controller_id")
    lists = broker_event.filter(
        col("event") == LIVE, col("logged_at").is_not_null(), controller_id.is_not_null()
    )
    is_alone = (col("broker_id") == controller_id).fill_null(value=False).all().over(LINE)
    return (
        lists.filter(is_alone)
        .select("cluster_id", controller_id=controller_id, listed_at="logged_at", list_line=evidence_line())
        .unique(maintain_order=True)
    )


def with_takeover_begin(lists: pl.DataFrame, acts: pl.DataFrame) -> pl.DataFrame:
    """began_at, own_line: the first step of the take-over in which it lists them."""
    steps = acts.select(*OWN, began_at="logged_at", own_line=evidence_line())
    is_of_it = (col("began_at") <= col("listed_at")) & (col("listed_at") - col("began_at") < ONE_START)
    return (
        lists.join(steps, on=OWN)
        .filter(is_of_it)
        .sort(*OWN, "listed_at", "began_at", "own_line")
        .unique([*OWN, "listed_at"], keep="first", maintain_order=True)
    )


@needs_rows_of("pairs")
def with_session(pairs: pl.DataFrame, release_span: pl.DataFrame) -> pl.DataFrame:
    """seconds: how long ZooKeeper waits at least for the other one, by Kafka's default of its releases."""
    told = default_seconds(release_span).group_by("cluster_id", other_id="node_id").agg(col("seconds").min())
    return pairs.join(told, on=("cluster_id", "other_id"), how="left").with_columns(
        col("seconds").fill_null(EARLIER_SECONDS)
    )


@needs_rows_of("pairs")
def without_end(pairs: pl.DataFrame, said: pl.DataFrame) -> pl.DataFrame:
    """Those whose other controller says nothing of its end until the one found itself alone."""
    over = said.filter(col("step").is_in(OVER)).select(
        "cluster_id", other_id="controller_id", over_at="logged_at"
    )
    ended = (
        pairs.select(*PAIR, "listed_at", "acted_at")
        .join(over, on=("cluster_id", "other_id"))
        .filter(col("over_at").is_between("acted_at", "listed_at"))
    )
    return pairs.join(ended, on=[*PAIR, "listed_at"], how="anti")


def acquainted_pairs(said: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """PAIR of which a line of the one names the other one, both ways round."""
    node = pl.coalesce("node_id", "controller_id").alias("controller_id")
    known = pl.concat(
        [
            said.select(*OWN, other_id="active_controller_id"),
            broker_event.select("cluster_id", node, other_id="broker_id"),
        ]
    ).drop_nulls()
    turned = known.select("cluster_id", controller_id="other_id", other_id="controller_id")
    return pl.concat([known, turned]).unique()


RULE = Rule(
    name="controllers_apart",
    version=1,
    severities=("warning",),
    facts=("controller_id", "other_id"),
    find=find,
)
