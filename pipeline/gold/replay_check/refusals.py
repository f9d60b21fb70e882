"""What Kafka says as it refuses moves: that the pair is not legal, and which states are valid before the target."""

import numpy as np
import polars as pl
from polars import col, lit, when

from pipeline.gold.replay_check.statements import (
    DIFFERS,
    EQUAL,
    PLACE,
    STATEMENT,
    UNDECIDED,
    UNKNOWN_MACHINE,
    named_machines,
)
from pipeline.kafka.machines.by_release import candidate_machines
from pipeline.model.lines.texts import PREVIOUS_STATES

TARGET = r"before moving to ([0-9A-Za-z_]+) state"
COLUMN = ("machine", "replica_machine", "target", "valid_before")


def check_refused_moves(moves: pl.DataFrame) -> pl.DataFrame:
    """One row per refused move: the matrix must not allow it."""
    is_legal = col("is_legal_pair")
    answer = when(is_legal).then(lit(DIFFERS)).when(~is_legal).then(lit(EQUAL)).otherwise(lit(UNDECIDED))
    return statements_of_moves(moves.filter(col("verdict") == "refused").with_columns(answer=answer))


def check_listed_states(moves: pl.DataFrame) -> pl.DataFrame:
    """One row per refused move whose exception lists states: they are those before its target, in some candidate."""
    message = col("exception_message")
    said = moves.filter(message.str.contains(PREVIOUS_STATES) & message.str.contains(TARGET)).with_columns(
        replica_machine=col("replica_machine").fill_null(UNKNOWN_MACHINE),
        target=message.str.extract(TARGET),
        valid_before=message.str.extract(PREVIOUS_STATES).str.split(",").list.sort(),
    )
    is_column = col("is_column").fill_null(value=False)
    return statements_of_moves(
        said.with_columns(col("valid_before").list.join(","))
        .join(matrix_columns(), on=COLUMN, how="left")
        .with_columns(answer=when(is_column).then(lit(EQUAL)).otherwise(lit(DIFFERS)))
    )


def matrix_columns() -> pl.DataFrame:
    """COLUMN: the states that are valid before a target, in order of their names; one row per candidate machine."""
    found = {
        (kind, named, target, ",".join(sorted(np.array(machine.states)[machine.matrix[:, column]])))
        for kind, named, name in named_machines()
        for machine in candidate_machines(kind, name)
        for column, target in enumerate(machine.states)
    }
    return pl.DataFrame(sorted(found), schema=COLUMN, orient="row").with_columns(is_column=lit(value=True))


def statements_of_moves(moves: pl.DataFrame) -> pl.DataFrame:
    """Moves with their answer, as count_statements() wants them: each is its own line."""
    told = ("topic", "partition", "from_state", "to_state", col("exception_message").fill_null(""))
    return moves.select(
        *STATEMENT, *PLACE, "answer",
        example=pl.format("{}-{}: Kafka {} -> {} {}", *told),
        line_file_id="file_id", line_byte_offset="byte_offset",
    )  # fmt: skip
