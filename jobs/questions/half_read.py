"""Whose state-change.log is missing, without which nobody knows who led what."""

import polars as pl
from polars import col

from pipeline.model.terms.succession import half_read
from pipeline.views.reading.answers import Answers

TERM, EVIDENCE = "silver.term", "gold.evidence"
SHOWN_EPOCHS = 4


def half_read_text(answers: Answers) -> str | None:
    """In words; None: of no controller in ZooKeeper mode, and in KRaft not of all nodes."""
    if not (answers.has(TERM) and answers.has(EVIDENCE)):
        return None
    columns = ("mode", "controller_id", "controller_epoch", "told_from_at", "are_moves_read")
    terms = answers.rows(TERM, None, columns).sort("told_from_at")
    controllers = [half_read_controller_text(*one) for one in epochs_of_half_read(terms).iter_rows()]
    if controllers:
        noun = "controllers" if len(controllers) > 1 else "controller"
        return f"no line of state-change.log of {noun} {', '.join(controllers)} was read"
    logs = answers.rows(EVIDENCE, None, ("logs",))["logs"].explode()
    if terms["mode"].tail(1).to_list() == ["kraft"] and "state-change" not in logs:
        return "no line of state-change.log was read"
    return None


def epochs_of_half_read(terms: pl.DataFrame) -> pl.DataFrame:
    """(controller_id, epochs) of half_read; epochs: null where these are all of its terms that are told."""
    told = terms.filter(col("told_from_at").is_not_null()).group_by("controller_id").agg(told=pl.len())
    epochs, is_all = col("controller_epoch").sort(), pl.len() == col("told").first()
    return (
        half_read(terms)
        .join(told, on="controller_id", how="left")
        .group_by("controller_id")
        .agg(epochs=epochs, is_all=is_all)
        .sort("controller_id")
        .select("controller_id", epochs=pl.when(~col("is_all")).then("epochs"))
    )


def half_read_controller_text(controller: int, epochs: list[int] | None) -> str:
    """1004 (epoch 10): of its other terms there are lines."""
    if not epochs:
        return str(controller)
    noun = "epochs" if len(epochs) > 1 else "epoch"
    more = f" and {len(epochs) - SHOWN_EPOCHS} more" if len(epochs) > SHOWN_EPOCHS else ""
    return f"{controller} ({noun} {', '.join(map(str, epochs[:SHOWN_EPOCHS]))}{more})"
