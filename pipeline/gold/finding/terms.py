"""Rules on terms of controllers."""

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.causes import because, cause_facts, with_cause_lines
from pipeline.gold.finding.outage_events import CHOSEN, ONE_STOP
from pipeline.gold.finding.rule import of_rows
from pipeline.gold.finding.wording import (
    CONTROLLER,
    controller_name,
    counted,
    facts,
    length,
    millis,
    root,
    rule,
    words,
)
from pipeline.model.lines.evidence import NO_LINES
from pipeline.model.settings import AuditLimit

NORMAL = "resignation_tail"  # it heard of the next one and did nothing but resign
WROTE = "zombie_wrote"
QUORUM_LOST = "quorum_lost"
# The times of two nodes are compared: their clocks may be apart by seconds.
CLOCKS_MS = 5_000


def of_term(
    terms: pl.DataFrame,
    named: tuple[pl.Expr, ...],
    sentence: pl.Expr,
    times: tuple[str, str],
    evidence: pl.Expr,
    **others: str | pl.Expr,
) -> pl.DataFrame:
    """Findings about the controller of a term, for which the term is the root event. times: since when, until when;
    others: facts beside who it is."""
    since, until = times
    return terms.select(
        *("cluster_id", "term_id", "certainty"),
        *named,
        entity=controller_name(),
        root_event=controller_name(),
        **root("controller", broker_id="controller_id"),
        valid_from_at=since,
        valid_until_at=until,
        sentence=sentence,
        facts=facts(**CONTROLLER, **others),
        evidence=evidence.list.unique(maintain_order=True),
    )


def lines(*names: str) -> pl.Expr:
    """The records of a term that say so, in that order."""
    return pl.concat_list(col("lines").map.get(name).fill_null(NO_LINES) for name in names)


def with_reason_lines(controller_term: pl.DataFrame) -> pl.DataFrame:
    """Terms with the lines of REASON as columns."""
    return controller_term.with_columns(end_lines=lines("reason"), first_sign_lines=lines("first_sign"))


def is_late(audit_limit: AuditLimit) -> pl.Expr:
    """True if the controller outlived its term for longer than conf allows."""
    return -col("gap_ms") > audit_limit.overlap_ms


@of_rows("controller_term")
def controller_outlived(controller_term: pl.DataFrame, audit_limit: AuditLimit) -> pl.DataFrame:
    """A controller acted long after the next one was elected: two at once. That it only resigns so late is what any
    does that was frozen; that it wrote is another rule's. In KRaft nothing that it does then takes effect, as most of
    the quorum follows the next one (Raft): it is told, no more.

    From 2.1 on (epoch_zk_version) ZooKeeper refuses what a deposed controller writes: where writes went through, the
    clocks differ, and it was in office. Below CLOCKS_MS it is inferred.
    """
    is_kraft, is_near = col("mode") == "kraft", -col("gap_ms") < CLOCKS_MS
    is_by_clocks = ~is_kraft & col("epoch_zk_version").is_not_null() & (col("writes_after_count") > 0)
    is_of_another_rule = ~is_kraft & col("overlap").is_in([NORMAL, WROTE]).fill_null(value=False)
    writes = col("writes_after_count")
    did = (
        when(is_kraft)
        .then(lit("harmless: in KRaft nothing that it did in between takes effect"))
        .when(writes > 0)
        .then(words("{} after", counted("writes_after_count", "write")))
        .when(writes.is_null())
        .then(lit("whether it wrote is not known"))
        .when(col("overlap") == "zombie_talked")
        .then(lit("no write seen, but requests to brokers"))
        .otherwise(lit("no write seen"))
    )
    sentence = words(
        "{} {} {} after the next controller was elected{}{}; {}",
        *(controller_name(), when(is_kraft).then(lit("gave up")).otherwise(lit("resigned"))),
        *(length(-col("gap_ms")), when(is_near).then(lit(", if their clocks agree")).otherwise(lit(""))),
        *(because("superseded_at"), did),
    )
    named = rule("controller_outlived", when(is_kraft).then(lit("info")).otherwise(lit("warning")), 4)
    is_known = ~is_kraft | col("overlap").is_not_null()
    is_so = is_late(audit_limit) & is_known & ~is_of_another_rule & ~is_by_clocks.fill_null(value=False)
    certainty = when(is_near & (col("certainty") == "proved")).then(lit("inferred")).otherwise("certainty")
    late = with_reason_lines(controller_term).filter(is_so).with_columns(certainty=certainty)
    told = {"late_ms": -col("gap_ms"), "writes_count": writes, "overlap": col("overlap")} | cause_facts()
    evidence = with_cause_lines(col("evidence"))
    return of_term(late, named, sentence, ("superseded_at", "ended_at"), evidence, **told)


@of_rows("controller_term")
def deposed_controller_wrote(controller_term: pl.DataFrame, audit_limit: AuditLimit) -> pl.DataFrame:
    """Up to 2.0: a controller wrote leaders of partitions after the next one was elected, who does not know of them.

    Source: KafkaController up to 2.0; from 2.1 on each write asks for the version of /controller_epoch (KAFKA-6082).
    """
    late_ms = millis("last_write_at") - millis("superseded_at")
    sentence = words(
        "{} wrote leaders of partitions {} after the next controller was elected, the last {} after: the "
        "next one does not know of them",
        *(controller_name(), counted("writes_after_count", "time"), length(late_ms)),
    )
    named = rule("deposed_controller_wrote", "critical")
    evidence = lines("elected", "wrote_after", "next_elected")
    wrote = controller_term.filter(is_late(audit_limit) & (col("overlap") == WROTE))
    told = {"writes_count": col("writes_after_count"), "late_ms": late_ms}
    return of_term(wrote, named, sentence, ("superseded_at", "last_write_at"), evidence, **told)


def no_controller(
    controller_term: pl.DataFrame,
    broker_session: pl.DataFrame,
    audit_limit: AuditLimit,
    data_end: pl.DataFrame,
) -> pl.DataFrame:
    """Between the end of a term and the next election lies longer than the time-outs explain: in ZooKeeper mode that of
    a session, in KRaft those of the quorum, which elects at once as long as most of its voters are there.

    Not where a cluster has one broker: while it is down there is nobody to elect, whatever the limit. Nor in KRaft
    where all brokers had left before: they were shut down, and nobody asks. A KRaft
    controller prints little: of one whose process ended it counts from when another heard that nobody leads; if that
    is the last that is told of the quorum, until the end of the logs. controller_term: with_next_state().
    Source: KafkaRaftClient, RaftConfig (controller.quorum.fetch.timeout.ms, election.timeout.ms,
    election.backoff.max.ms), from 2.8.
    """
    is_lost = (col("gap_kind") == QUORUM_LOST).fill_null(value=False)
    is_by_end = col("gap_ms").is_not_null() & (col("gap_kind") != "fetch_timeout")
    # Of a lost quorum it may be heard only as it is over.
    is_heard_late = is_lost & (
        millis("superseded_at") - millis("vacant_from_at") <= audit_limit.no_quorum_leader_ms
    )
    heard_at = when(~is_heard_late).then("vacant_from_at")
    from_at = pl.coalesce(heard_at, when(is_by_end).then("ended_at"))
    ms = pl.coalesce("superseded_at", "until_at").dt.epoch("ms") - from_at.dt.epoch("ms")
    is_of_several = col("gap_kind").ne_missing(lit("sole_broker"))
    is_vacant, is_last = heard_at.is_not_null(), col("superseded_at").is_null()
    bound = when(is_vacant).then(lit("at least")).otherwise(lit("up to"))
    bounded = words("{} {}", bound, length(ms))
    how_long = when(is_last).then(lit("as long as the logs go on")).otherwise(bounded)
    heard = pl.concat_list(lines("elected", "vacant", "next_elected"), "next_state_line")
    basis = when(is_vacant).then(heard).otherwise("evidence")
    limit_ms = when(col("mode") == "kraft").then(audit_limit.no_quorum_leader_ms).otherwise(
        audit_limit.no_controller_ms
    )  # fmt: skip
    gap = (
        with_data_end(with_reason_lines(controller_term), data_end)
        .filter(is_of_several & (ms > limit_ms))
        .with_columns(vacancy_at=from_at)
        .pipe(without_stopped, broker_session)
    )
    return gap.select(
        *("cluster_id", "term_id"),
        *rule("no_controller", "warning", 3),
        entity=lit("controller"),
        root_event=controller_name(),
        **root("controller", broker_id="controller_id"),
        valid_from_at=from_at,
        valid_until_at="superseded_at",
        sentence=words(
            "no controller for {} after {}{}{}",
            *(
                how_long,
                controller_name(),
                when(is_lost).then(lit(": most of the quorum was down")).otherwise(lit("")),
                because(from_at),
            ),
        ),
        facts=facts(
            **CONTROLLER,
            at_least_ms=when(is_vacant & ~is_last).then(ms),
            at_most_ms=when(~is_vacant & ~is_last).then(ms),
            **cause_facts(),
        ),
        certainty=lit("inferred"),
        evidence=with_cause_lines(basis),
    )


def without_stopped(gap: pl.DataFrame, broker_session: pl.DataFrame) -> pl.DataFrame:
    """Without the KRaft terms at whose vacancy_at all brokers had left that were ever there; and without the last one
    where the logs end soon after, amid a stop: a broker had just been shut down."""
    own, at = ("cluster_id", "term_id"), col("vacancy_at")
    stays = broker_session.select("cluster_id", "mode", "joined_at", "left_at", "left_how")
    came = (
        gap.filter(col("mode") == "kraft")
        .join(stays, on=["cluster_id", "mode"])
        .filter(col("joined_at") <= at)
    )
    is_there = (col("left_at") > at).fill_null(value=True)
    is_end = col("superseded_at").is_null() & (col("until_at") <= at + ONE_STOP)
    is_just_stopped = (col("left_how") == CHOSEN) & col("left_at").is_between(at - ONE_STOP, at)
    stopped = came.join(came.filter(is_there), on=own, how="anti")
    amid_stop = came.filter(is_end, is_just_stopped.fill_null(value=False))
    return gap.join(stopped, on=own, how="anti").join(amid_stop, on=own, how="anti")


@of_rows("controller_term")
def failover_slow(controller_term: pl.DataFrame, audit_limit: AuditLimit) -> pl.DataFrame:
    """From its election until it was ready a controller took long: meanwhile no leader was elected."""
    step = longest_step()
    sentence = words(
        "{} was ready only {} after its election, longest in {}",
        *(controller_name(), length(col("ready_ms")), step.str.replace_all("_", " ", literal=True)),
    )
    named = rule("failover_slow", "warning")
    slow = controller_term.filter(col("ready_ms") > audit_limit.failover_slow_ms)
    told = {"lasted_ms": col("ready_ms"), "longest_step": step}
    return of_term(slow, named, sentence, ("elected_at", "ready_at"), lines("elected", "ready"), **told)


def longest_step() -> pl.Expr:
    step, ms = (pl.element().struct.field(name) for name in ("key", "value"))
    return col("steps").map.entries().list.eval(step.sort_by(ms, step).last()).list.first()


def with_data_end(controller_term: pl.DataFrame, data_end: pl.DataFrame) -> pl.DataFrame:
    """Adds until_at, the end of the data of the cluster."""
    return controller_term.join(data_end.select("cluster_id", "until_at"), on="cluster_id", how="inner")
