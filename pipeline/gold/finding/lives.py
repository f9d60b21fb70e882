"""Rules on clusters that begin anew, and on brokers that may not come back yet."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.rule import of_rows
from pipeline.gold.finding.wording import (
    NO_TERM,
    broker_name,
    counted,
    enumerated,
    facts,
    kept_evidence,
    length,
    millis,
    root,
    rule,
    words,
)

MODE = ("cluster_id", "mode")
NODE = ("cluster_id", "node_id")
LINE = pl.struct("file_id", "byte_offset")
REFUSED = "DuplicateBrokerRegistrationException"
# A broker asks again after its session time-out at most (9 s as shipped; BrokerLifecycleManager, from 2.8).
ONE_RUN_MS = 15_000
ANOTHER = "what was before is another cluster, its partitions end there and nothing says that they were served again"


def new_life(controller_term: pl.DataFrame, controller_event: pl.DataFrame) -> pl.DataFrame:
    """The metadata of the cluster began anew: its id is another one (KRaft), or epochs of controllers began again at 1.

    No such finding: a migration to KRaft, whose epochs are the quorum's, and epochs that go back to another number, as
    where ZooKeeper's data were put back.
    """
    by_id = formatted(controller_event)
    told = by_id.select("cluster_id", told_at="valid_from_at").sort("told_at")
    by_epoch = (
        begun_again(controller_term)
        .sort("valid_from_at")
        .join_asof(
            told,
            left_on="valid_from_at",
            right_on="told_at",
            by="cluster_id",
            tolerance="5m",
            strategy="nearest",
            check_sortedness=False,
        )
        .filter(col("told_at").is_null())
        .drop("told_at")
    )
    return pl.concat([by_id, by_epoch.select(by_id.columns)])


def formatted(controller_event: pl.DataFrame) -> pl.DataFrame:
    """Controllers that start with another cluster id than before: one finding for each new id."""
    groups = (
        controller_event.filter(col("step") == "created", col("detail").is_not_null())
        .sort("logged_at", "file_id", "byte_offset")
        .with_columns(
            old_id=col("detail").shift(1).over(NODE),
            evidence=pl.concat_list(LINE.shift(1).over(NODE), LINE),
        )
        .filter(col("detail") != col("old_id"))
        .group_by("cluster_id", "old_id", "detail", maintain_order=True)
        .agg(
            col("evidence", "node_id").first(),
            nodes=col("node_id").drop_nulls().unique().sort(),
            valid_from_at=col("logged_at").first(),
        )
    )
    one, more = words("node {} was", enumerated("nodes")), words("nodes {} were", enumerated("nodes"))
    who = when(col("nodes").list.len() > 1).then(more).otherwise(one)
    sentence = "{} formatted anew before {} (cluster id {}, then {}): {}"
    return groups.select(
        *("cluster_id", "valid_from_at", "evidence"),
        *rule("new_life", "warning"),
        entity=words("cluster {}", "detail"),
        root_event=words("cluster {}", "old_id"),
        **root("new life", "valid_from_at"),
        term_id=NO_TERM,
        valid_until_at=col("valid_from_at"),
        sentence=words(sentence, who, clock("valid_from_at"), "old_id", "detail", lit(ANOTHER)),
        facts=facts(node_id="node_id", old_cluster="old_id", new_cluster="detail"),
        certainty=lit("proved"),
    )


def begun_again(controller_term: pl.DataFrame) -> pl.DataFrame:
    """Lives that begin with epoch 1 after others of the same mode, by the elections that were seen."""
    in_turn = (
        controller_term.with_columns(began="elected_at")
        .filter(col("began").is_not_null(), col("evidence").list.len() > 0)
        .sort(*MODE, "began", "controller_epoch")
        .with_columns(
            is_other=col("life") != col("life").shift(1).over(MODE),
            old_epoch=col("controller_epoch").shift(1).over(MODE),
            evidence=pl.concat_list(
                col("evidence").list.head(2).shift(1).over(MODE), col("evidence").list.head(2)
            ),
        )
        .filter("is_other", col("controller_epoch") == 1)
    )
    sentence = "the cluster began anew before {} (controller epochs {}, then {}): {}"
    return in_turn.select(
        *("cluster_id", "evidence", "term_id"),
        *rule("new_life", "warning"),
        valid_from_at="began",
        valid_until_at="began",
        entity=lit("cluster"),
        root_event=words("epoch {} after {}", "controller_epoch", "old_epoch"),
        **root("new life", "began"),
        sentence=words(sentence, clock("began"), "old_epoch", "controller_epoch", lit(ANOTHER)),
        facts=facts(
            controller_id="controller_id", controller_epoch="controller_epoch", old_epoch="old_epoch"
        ),
        certainty=lit("inferred"),
    )


@of_rows("controller_event")
def refused_registration(controller_event: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """A KRaft controller refuses a broker while the session of its process before goes on: one finding a run of them.

    The line does not name the broker: it is the one whose session ends or begins soon after.
    Source: ClusterControlManager.registerBroker, from 2.8.
    """
    apart = millis("logged_at") - millis("logged_at").shift(1).over(NODE)
    is_new = (apart > ONE_RUN_MS).fill_null(value=True)
    is_refusal = (col("step") == "event_failed") & col("exception_class").str.ends_with(REFUSED)
    runs = (
        controller_event.filter(is_refusal)
        .sort(*NODE, "logged_at", "byte_offset")
        .with_columns(run=is_new.cast(pl.Int64).cum_sum().over(NODE), evidence=pl.concat_list(LINE))
        .group_by(*NODE, "run", maintain_order=True)
        .agg(
            refused=pl.len(),
            valid_from_at=col("logged_at").min(),
            valid_until_at=col("logged_at").max(),
            evidence=kept_evidence(),
        )
        .pipe(with_broker, broker_session)
    )
    lasted_ms = millis("valid_until_at") - millis("valid_from_at")
    who = when(col("broker_id").is_not_null()).then(broker_name()).otherwise(lit("brokers"))
    one, more = ("was", "session of its former life"), ("were", "sessions of their former lives")
    were, whose = (
        when(col("broker_id").is_not_null()).then(lit(said)).otherwise(lit(other))
        for said, other in zip(one, more, strict=True)
    )
    sentence = (
        "{} {} refused {} within {} ({}): the {} had not run out (broker.session.timeout.ms, 9 s as shipped); "
        "normal after a quick restart, not if it lasts"
    )
    return runs.select(
        *("cluster_id", "valid_from_at", "valid_until_at", "evidence"),
        *rule("refused_registration", "info"),
        entity=who,
        root_event=words("refused at {}", col("valid_from_at").dt.epoch("s")),
        **root("refused registration", "valid_from_at", "broker_id"),
        term_id=NO_TERM,
        sentence=words(
            sentence, who, were, counted("refused", "time"), length(lasted_ms), lit(REFUSED), whose
        ),
        facts=facts(
            broker_id="broker_id",
            refused_count="refused",
            lasted_ms=lasted_ms,
        ),
        certainty=lit("proved"),
    )


def with_broker(runs: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """broker_id: of the only broker of which a session ends or begins soon after; null: of several."""
    sessions = [
        broker_session.select("cluster_id", "broker_id", at=name).drop_nulls("at")
        for name in ("joined_at", "left_at")
    ]
    soon = millis("at") <= millis("valid_until_at") + ONE_RUN_MS
    found = (
        runs.select(*NODE, "run", "valid_from_at", "valid_until_at")
        .join(pl.concat(sessions), on="cluster_id")
        .filter(col("at") >= col("valid_from_at"), soon)
        .group_by(*NODE, "run")
        .agg(ids=col("broker_id").unique())
        .filter(col("ids").list.len() == 1)
        .select(*NODE, "run", broker_id=col("ids").list.first())
    )
    return runs.join(found, on=[*NODE, "run"], how="left", nulls_equal=True)


def clock(name: str) -> pl.Expr:
    return col(name).dt.strftime("%Y-%m-%d %H:%M:%S")
