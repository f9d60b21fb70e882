"""Whether a controller that gave up its office was still the broker that had been registered before."""

import polars as pl
from polars import col, lit, when

from pipeline.model.terms.term_steps import TERM

JUST_BEFORE = pl.duration(seconds=5)


def with_registration(term: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """Terms with is_same_registration: by the broker's epoch as lines name it last before it resigned and first after;
    false: it saw itself join, too, just before; null: it did not resign, or no line tells one of them.

    A broker whose session expired registers anew, and its epoch is the zxid of that; who lost /controller alone keeps
    it. Source: KafkaController.Expire, BrokerInfo.brokerEpoch, from 2.2.
    """
    named = (
        broker_event.filter(
            col("step") == "epoch", col("broker_epoch").is_not_null(), col("logged_at").is_not_null()
        )
        .select("cluster_id", "logged_at", "broker_epoch", controller_id="broker_id")
        .sort("logged_at", "broker_epoch")
    )
    resigned = term.filter(col("mode") == "zookeeper", col("resigning_at").is_not_null()).select(
        *TERM, "controller_id", "resigning_at"
    )
    by = ["cluster_id", "controller_id"]
    last = named.rename({"broker_epoch": "before"})
    next_one = named.rename({"broker_epoch": "after"})
    found = (
        resigned.sort("resigning_at")
        .join_asof(last, left_on="resigning_at", right_on="logged_at", by=by, check_sortedness=False)
        .drop("logged_at")
        .join_asof(
            next_one, left_on="resigning_at", right_on="logged_at", by=by, strategy="forward",
            allow_exact_matches=False, check_sortedness=False,
        )
    )  # fmt: skip
    is_same = when("has_joined").then(lit(value=False)).otherwise(col("before") == col("after"))
    found = found.join(joining(resigned, broker_event), on=TERM, how="left").select(
        *TERM, is_same_registration=is_same
    )
    return term.join(found, on=TERM, how="left", maintain_order="left")


def joining(resigned: pl.DataFrame, broker_event: pl.DataFrame) -> pl.DataFrame:
    """(TERM, has_joined) of controllers that saw themselves join just before they resigned."""
    joined = broker_event.filter(col("step") == "joined").select(
        "cluster_id", "logged_at", controller_id="broker_id", said_by_id="node_id"
    )
    own = joined.filter(col("said_by_id") == col("controller_id"))
    is_just_before = col("logged_at").is_between(col("resigning_at") - JUST_BEFORE, col("resigning_at"))
    return (
        resigned.join(own, on=["cluster_id", "controller_id"])
        .filter(is_just_before)
        .select(*TERM, has_joined=lit(value=True))
        .unique(TERM)
    )
