"""Why a broker or a controller was gone, as findings say it: by the reason that server.log tells, and its lines."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.evidence import NO_LINES
from pipeline.rules.shared.wording import clock_time, epoch_millis, filled_text, shortened_column
from schemas.end_reasons import DISK, FAULT, GAVE_UP, KILLED, MAJORITY, SESSION, SIGNALLED, START, UNKNOWN

# What is said of several brokers, or departures.
SHORT = {
    SIGNALLED: "told to stop",
    KILLED: "killed or crashed",
    SESSION: "frozen or cut off",
    MAJORITY: "frozen or cut off",
    DISK: "halted by its log directories",
    START: "stopped by its failed start",
    FAULT: "stopped by a fatal fault",
}
REASON = ("end_reason", "end_reason_at", "end_detail", "end_lines", "first_sign_at", "first_sign_lines")
DETAIL = 80  # so many characters of the message of an error


def is_known() -> pl.Expr:
    return (col("end_reason") != UNKNOWN).fill_null(value=False)


def because_clause(told_at: str | pl.Expr) -> pl.Expr:
    """, because it got SIGTERM at 09:00:01; empty where the reason is not known. told_at: the time of the finding."""
    return when(is_known()).then(filled_text(", because it {}", end_reason_text(told_at))).otherwise(lit(""))


def end_reason_text(told_at: str | pl.Expr) -> pl.Expr:
    """What happened to it, with the times of the lines that say so, each with its day where the finding is of
    another one."""
    at, sign_at = (clock_time(name, told_at) for name in ("end_reason_at", "first_sign_at"))
    sign = when(has_sign()).then(filled_text("first sign at {}, ", sign_at)).otherwise(lit(""))
    name = signal_name()
    signal = when(name.is_null()).then(lit("was shut down")).otherwise(filled_text("got {}", name))
    given_up = when(has_stopped_without_leave()).then(lit(f" and {GAVE_UP}")).otherwise(lit(""))
    detail = shortened_column("end_detail", DETAIL)
    error = when(detail.is_null()).then(lit("")).otherwise(filled_text(": {}", detail))
    of = col("end_reason")
    return (
        when(of == SIGNALLED).then(filled_text("{} at {}{}", signal, at, given_up))
        .when(of == KILLED).then(
            filled_text("was killed or crashed ({}started again at {}, no shutdown between)", sign, at)
        )
        .when(of == SESSION).then(
            filled_text("was frozen or cut off ({}its session was lost, its process went on at {})", sign, at)
        )
        .when(of == MAJORITY).then(
            filled_text("was frozen or cut off ({}no majority of the quorum heard it, it says at {})", sign, at)
        )
        .when(of == DISK).then(filled_text("halted at {}, its log directories had failed", at))
        .when(of == START).then(filled_text("failed to start at {}{}", at, error))
        .when(of == FAULT).then(filled_text("met a fatal fault at {}{}", at, error))
    )  # fmt: skip


def has_stopped_without_leave() -> pl.Expr:
    """True if it stopped without leave of its controller, as it says itself."""
    return ((col("end_reason") == SIGNALLED) & col("end_detail").str.ends_with(GAVE_UP)).fill_null(
        value=False
    )


def signal_name() -> pl.Expr:
    """SIGTERM; null: none is printed."""
    return col("end_detail").str.extract(r"^(SIG\w+)")


def has_sign() -> pl.Expr:
    """True if another line than that of the reason is the earliest sign of it."""
    is_other = col("first_sign_lines").list.first() != col("end_lines").list.first()
    is_of_others = col("end_reason").is_in([KILLED, SESSION, MAJORITY])
    return (is_known() & is_of_others & col("first_sign_at").is_not_null() & is_other).fill_null(value=False)


def cause_facts() -> dict[str, pl.Expr]:
    """end_reasons, and first_sign_ms where the sentence tells it."""
    return {
        "end_reasons": when(is_known()).then(pl.concat_list("end_reason")),
        "first_sign_ms": when(has_sign()).then(epoch_millis("first_sign_at")),
    }


def with_cause_lines(evidence: pl.Expr) -> pl.Expr:
    """Evidence and behind it the first sign, if it is told, and the line that says why."""
    sign = when(has_sign()).then("first_sign_lines").otherwise(NO_LINES)
    own = when(is_known()).then("end_lines").otherwise(NO_LINES)
    return pl.concat_list(evidence, sign.fill_null(NO_LINES), own.fill_null(NO_LINES))
