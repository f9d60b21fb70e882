"""The table of precedence: of all that may be said of a move, which verdict it gets."""

import polars as pl
from polars import col, lit, when

# The first line that holds decides.
PRECEDENCE = (
    ("refused", "not done, and the controller says that the pair is not allowed"),
    ("failed", "not done for another reason"),
    ("illegal", "done, and the pair is not in the matrix"),
    ("undetermined", "release, term or beginning unknown, or the reason of a move not done is cut off"),
    ("first", "first sight of the object in its term, from a state of the start-up"),
    ("same_state", "leaves from the replayed state and stays in it"),
    ("valid", "leaves from the replayed state, and the pair is in the matrix"),
    ("hidden", "leaves from another state, and moves that this log does not print explain it"),
    ("discontinuity", "leaves from another state, every move would be printed, and nothing explains it"),
    ("undetermined", "leaves from another state, and the log does not print enough to decide"),
)
CERTAINTY = {"hidden": "inferred", "discontinuity": "inferred", "undetermined": "undetermined"}  # else proved
RESTS_ON_PREVIOUS = ("valid", "same_state", "hidden", "discontinuity")

# kafka.controller: logInvalidTransition from 1.1 on; before, of replicas an assertion.
REFUSING_EXCEPTION = r"(^|\.)(IllegalStateException|AssertionError)$"
REFUSING_MESSAGE = "should be in"


def deciding_verdict() -> pl.Expr:
    """The verdict of the first line of PRECEDENCE that holds.

    Of columns outcome, exception_class, exception_message, from_state, to_state, is_legal_pair (null: undetermined),
    continuity and is_grounded (term and beginning of the object are known).
    """
    is_done, is_legal, continuity = col("outcome") == "done", col("is_legal_pair"), col("continuity")
    is_refusing = col("exception_class").str.contains(REFUSING_EXCEPTION)
    is_refused = is_refusing & col("exception_message").str.contains(REFUSING_MESSAGE, literal=True)
    has_other_exception = ~is_refusing
    has_reason = col("exception_message").is_not_null() | has_other_exception.fill_null(value=False)
    is_cut = ~is_done & ~has_reason & is_legal.ne_missing(lit(True))
    follows, stays = continuity == "follows", col("from_state") == col("to_state")
    holds = (
        ~is_done & is_refused,
        ~is_done & ~is_cut,
        is_done & ~is_legal,
        is_legal.is_null() | ~col("is_grounded") | is_cut,
        continuity == "first",
        follows & stays,
        follows,
        continuity == "hidden",
        continuity == "broken",
        lit(True),
    )
    lines = zip(holds, PRECEDENCE, strict=True)
    return pl.coalesce(when(is_held).then(lit(verdict)) for is_held, (verdict, _) in lines)


def certainty_of(verdict: pl.Expr) -> pl.Expr:
    return verdict.replace_strict(CERTAINTY, default="proved", return_dtype=pl.String)
