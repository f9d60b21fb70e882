"""Whose state-change.log is missing, or has no moves, without which nobody knows who led what."""

import polars as pl
from polars import col

from pipeline.model.terms.succession import half_read
from pipeline.views.reading.answers import Answers

LOG = "state-change"
TERM, EVIDENCE = "silver.term", "gold.evidence"
SHOWN_EPOCHS = 4
LEVELS = "printed at TRACE up to 2.5, else at INFO"


def half_read_text(answers: Answers) -> str | None:
    """In words; None: of no controller in ZooKeeper mode, and in KRaft not of all nodes."""
    if not (answers.has(TERM) and answers.has(EVIDENCE)):
        return None
    columns = ("mode", "controller_id", "controller_epoch", "told_from_at", "are_moves_read")
    terms = answers.rows(TERM, None, columns).sort("told_from_at")
    logs = answers.rows(EVIDENCE, None, ("node_id", "logs")).explode("logs")
    has_lines = set(logs.filter(logs=LOG)["node_id"])
    unread: list[str] = []
    unprinted: list[str] = []
    for controller_id, epochs in epochs_of_half_read(terms).iter_rows():
        of_controller = unprinted if epochs is None and controller_id in has_lines else unread
        of_controller.append(half_read_controller_text(controller_id, epochs))
    told = [f"no line of {LOG}.log of {controllers_noun(unread)} was read"] if unread else []
    if unprinted:
        told.append(f"{LOG}.log of {controllers_noun(unprinted)} has no moves ({LEVELS})")
    if told:
        return ", and ".join(told)
    if terms["mode"].tail(1).to_list() == ["kraft"] and LOG not in logs["logs"]:
        return f"no line of {LOG}.log was read"
    return None


def controllers_noun(controllers: list[str]) -> str:
    return f"controller{'s' if len(controllers) > 1 else ''} {', '.join(controllers)}"


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
