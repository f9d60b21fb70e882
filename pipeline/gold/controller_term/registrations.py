"""Whether a controller that gave up its office was still the broker that had been registered before."""

from datetime import timedelta

import polars as pl
from polars import col, lit, when

from pipeline.core.made_of import needs_rows_of
from pipeline.model.lines.evidence import evidence_line
from pipeline.model.terms.term_steps import TERM

JUST_BEFORE = pl.duration(seconds=5)
OFFICE, BROKERS = "/controller", "/brokers/ids/"
AT_ONCE = pl.duration(seconds=1)
AGAIN = timedelta(minutes=1)  # who gave up its office tries to have it again at once
# What server.log prints where a session is lost, and a broker registers anew.
LOST = ("expiry_noticed", "expired", "registering_again", "registered_again", "registered")


def with_registration(
    term: pl.DataFrame, broker_event: pl.DataFrame, node_event: pl.DataFrame
) -> pl.DataFrame:
    """Terms with is_same_registration: by the broker's epoch as lines of the term name it last before it resigned, and
    first after; false: it saw itself join, too, just before; else by its own server.log (of_server_log); null: it did
    not resign, or no line tells one of them. registration_lines: those that tell; is_session_told: of its session.

    A broker whose session expired registers anew, and its epoch is the zxid of that; who lost /controller alone keeps
    it. Source: KafkaController.Expire, BrokerInfo.brokerEpoch, from 2.2, where each controller prints all at its start.
    """
    named = (
        broker_event.filter(col("step") == "epoch", col("broker_epoch").is_not_null())
        .select(
            "cluster_id", "logged_at", epoch="broker_epoch", controller_id="broker_id", place=evidence_line()
        )
        .sort("logged_at", "epoch")
    )
    resigned = term.filter(col("mode") == "zookeeper", col("resigning_at").is_not_null()).select(
        *TERM, "controller_id", "elected_at", "resigning_at", next_from_at=next_begin()
    )
    by = ["cluster_id", "controller_id"]
    found = (
        resigned.sort("next_from_at")
        .join_asof(named, left_on="next_from_at", right_on="logged_at", by=by, check_sortedness=False)
        .rename({"logged_at": "before_at"})
        .join_asof(
            named, left_on="next_from_at", right_on="logged_at", by=by, strategy="forward", suffix="_after",
            allow_exact_matches=False, check_sortedness=False,
        )
        .join(joins_before_resigning(resigned, broker_event), on=TERM, how="left")
        .join(of_server_log(resigned, node_event), on=TERM, how="left")
    )  # fmt: skip
    is_told = (col("before_at") >= col("elected_at")) & col("epoch_after").is_not_null()
    has_joined = col("joining").is_not_null()
    both = when(is_told).then(pl.concat_list("place", "place_after"))
    lines = when(has_joined).then(pl.concat_list("joining")).otherwise(both.otherwise("own_lines"))
    is_same = (
        when(has_joined)
        .then(lit(value=False))
        .when(is_told)
        .then(col("epoch") == col("epoch_after"))
        .otherwise("is_kept")
    )
    told = found.select(*TERM, is_same_registration=is_same, registration_lines=lines)
    told = told.join(sessions_in_server_log(resigned, node_event), on=TERM, how="left")
    return term.join(told, on=TERM, how="left", maintain_order="left")


def sessions_in_server_log(resigned: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """(TERM, is_session_told): terms before whose end the node's server.log has a line of its session: it would have
    one that expired, too."""
    own = node_event.filter(col("area") == "session").select(
        "cluster_id", controller_id="node_id", said_at="logged_at"
    )
    since = own.group_by("cluster_id", "controller_id").agg(col("said_at").min())
    known = resigned.join(since, on=["cluster_id", "controller_id"])
    return known.filter(col("said_at") <= col("resigning_at")).select(*TERM, is_session_told=lit(value=True))


def next_begin() -> pl.Expr:
    """From when on lists are of the next controller, which may print them before this one has resigned."""
    is_at_once = col("superseded_at").is_between(col("resigning_at") - AT_ONCE, col("resigning_at"))
    return when(is_at_once.fill_null(value=False)).then("superseded_at").otherwise("resigning_at")


@needs_rows_of("resigned")
def of_server_log(resigned: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """(TERM, is_kept, own_lines) of controllers whose server.log has how they tried to be elected again: it would have
    a session that expired, and a registration, too.

    Source: KafkaHealthcheck.SessionExpireListener (to 1.0), KafkaController.Expire, KafkaZkClient (from 1.1).
    """
    by = ["cluster_id", "controller_id"]
    is_creating, detail = col("step") == "creating", col("detail").fill_null("")
    is_expired = (col("step") == "state") & (detail == "Expired")
    is_lost = col("step").is_in(LOST) | is_expired | (is_creating & detail.str.starts_with(BROKERS))
    own = node_event.filter(col("area").is_in(["session", "registration"])).select(
        "cluster_id", controller_id="node_id", tried_at="logged_at", own_line=evidence_line(),
        is_office=is_creating & (detail == OFFICE), is_lost=is_lost,
    )  # fmt: skip
    tried = (
        resigned.sort("resigning_at")
        .join_asof(
            own.filter("is_office").sort("tried_at"), left_on="resigning_at", right_on="tried_at", by=by,
            strategy="forward", tolerance=AGAIN, check_sortedness=False,
        )
        .filter(col("tried_at").is_not_null())
        .select(*TERM, "controller_id", "resigning_at", "tried_at", "own_line")
    )  # fmt: skip
    is_then = col("tried_at_lost").is_between(
        col("resigning_at") - JUST_BEFORE, col("tried_at") + pl.duration(seconds=1)
    )
    lost = (
        tried.join(own.filter("is_lost"), on=by, suffix="_lost")
        .filter(is_then)
        .sort("tried_at_lost", "own_line_lost")
        .unique(TERM, keep="first", maintain_order=True)
        .select(*TERM, lost_line="own_line_lost")
    )
    return tried.join(lost, on=TERM, how="left").select(
        *TERM,
        is_kept=col("lost_line").is_null(),
        own_lines=pl.concat_list(pl.coalesce("lost_line", "own_line")),
    )


def joins_before_resigning(resigned: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """(TERM, joining) of controllers that saw themselves join just before they resigned: the first line of it."""
    own = broker_event.filter(col("step") == "joined", col("broker_id") == col("node_id")).select(
        "cluster_id", "logged_at", controller_id="broker_id", joining=evidence_line()
    )
    is_just_before = col("logged_at").is_between(col("resigning_at") - JUST_BEFORE, col("resigning_at"))
    return (
        resigned.join(own, on=["cluster_id", "controller_id"])
        .filter(is_just_before)
        .sort("logged_at", "joining")
        .unique(TERM, keep="first", maintain_order=True)
        .select(*TERM, "joining")
    )
