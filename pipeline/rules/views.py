"""Frames that several rules take beside tables; a parameter names a table, or another view."""

import inspect
from collections.abc import Callable

import polars as pl

from pipeline.model.brokers import failed_log_dirs, marked_log_dirs
from pipeline.model.brokers import up_signs as signs
from pipeline.rules.shared import quorum_states


def up_signs(
    node_event: pl.DataFrame,
    controller_step: pl.DataFrame,
    broker_event: pl.DataFrame,
    wording_seen: pl.DataFrame,
) -> pl.DataFrame:
    """Times at which a line shows that a node was up."""
    return signs.startup_signs(node_event, controller_step, broker_event, wording_seen)


def lost_log_dirs(
    node_event: pl.DataFrame, broker_event: pl.DataFrame, up_signs: pl.DataFrame
) -> pl.DataFrame:
    """Log directories that brokers lost, each with when its process was seen to be up again."""
    failed = failed_log_dirs.failed_log_dirs(node_event)
    return marked_log_dirs.with_process_up(
        marked_log_dirs.log_dir_failures_with_marks(failed, broker_event), up_signs
    )


def led_states(controller_step: pl.DataFrame, node_event: pl.DataFrame) -> pl.DataFrame:
    """Lines by which a node of a quorum begins to lead an epoch, or to follow its leader."""
    return quorum_states.leadership_states(controller_step, node_event)


def led_terms(controller_term: pl.DataFrame, led_states: pl.DataFrame) -> pl.DataFrame:
    """Terms of controllers, the last one superseded by the state of a later epoch that a node tells."""
    return quorum_states.with_next_state(controller_term, led_states)


VIEWS: dict[str, Callable[..., pl.DataFrame]] = {
    view.__name__: view for view in (up_signs, lost_log_dirs, led_states, led_terms)
}


def parameters(kernel: Callable[..., object]) -> tuple[str, ...]:
    return tuple(inspect.signature(kernel).parameters)
