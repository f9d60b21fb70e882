"""Why a broker or a controller was gone, as findings say it: by the reason that server.log tells, and its lines."""

from collections.abc import Sequence

import polars as pl
from polars import col, lit, when

from pipeline.gold.finding.wording import clock, counted, cut, enumerated, millis, words
from pipeline.model.lines.evidence import LINES_TYPE, NO_LINES
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


def because(told_at: str | pl.Expr) -> pl.Expr:
    """, because it got SIGTERM at 09:00:01; empty where the reason is not known. told_at: the time of the finding."""
    return when(is_known()).then(words(", because it {}", reason(told_at))).otherwise(lit(""))


def reason(told_at: str | pl.Expr) -> pl.Expr:
    """What happened to it, with the times of the lines that say so, each with its day where the finding is of
    another one."""
    at, sign_at = (clock(name, told_at) for name in ("end_reason_at", "first_sign_at"))
    sign = when(has_sign()).then(words("first sign at {}, ", sign_at)).otherwise(lit(""))
    name = signal_name()
    signal = when(name.is_null()).then(lit("was shut down")).otherwise(words("got {}", name))
    given_up = when(has_given_up()).then(lit(f" and {GAVE_UP}")).otherwise(lit(""))
    detail = cut("end_detail", DETAIL)
    error = when(detail.is_null()).then(lit("")).otherwise(words(": {}", detail))
    of = col("end_reason")
    return (
        when(of == SIGNALLED).then(words("{} at {}{}", signal, at, given_up))
        .when(of == KILLED).then(
            words("was killed or crashed ({}started again at {}, no shutdown between)", sign, at)
        )
        .when(of == SESSION).then(
            words("was frozen or cut off ({}its session was lost, its process went on at {})", sign, at)
        )
        .when(of == MAJORITY).then(
            words("was frozen or cut off ({}no majority of the quorum heard it, it says at {})", sign, at)
        )
        .when(of == DISK).then(words("halted at {}, its log directories had failed", at))
        .when(of == START).then(words("failed to start at {}{}", at, error))
        .when(of == FAULT).then(words("met a fatal fault at {}{}", at, error))
    )  # fmt: skip


def has_given_up() -> pl.Expr:
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
        "end_reasons": when(is_known()).then("end_reason"),
        "first_sign_ms": when(has_sign()).then(millis("first_sign_at")),
    }


def with_cause_lines(evidence: pl.Expr) -> pl.Expr:
    """Evidence and behind it the first sign, if it is told, and the line that says why."""
    sign = when(has_sign()).then("first_sign_lines").otherwise(NO_LINES)
    own = when(is_known()).then("end_lines").otherwise(NO_LINES)
    return pl.concat_list(evidence, sign.fill_null(NO_LINES), own.fill_null(NO_LINES))


def counted_reasons(counts: Sequence[str]) -> pl.Expr:
    """killed or crashed 2 times, frozen or cut off 1 time; columns of counts by reason; empty: none is known."""
    parts = [when(col(one) > 0).then(words(f"{SHORT[one]} {{}}", counted(one, "time"))) for one in counts]
    return pl.concat_list(parts).list.drop_nulls().list.join(", ")


def kept_reasons(kept: int) -> list[pl.Expr]:
    """Of a group of rows with REASON: how many have each, end_reasons of the first ones, and their cause_lines."""
    known = is_known()
    lines = when(known.head(kept)).then(col("end_lines").head(kept)).otherwise(NO_LINES)
    return [
        *((col("end_reason") == one).sum().alias(one) for one in SHORT),
        col("end_reason").head(kept).filter(known.head(kept)).str.join(",").alias("end_reasons"),
        lines.explode(empty_as_null=False, keep_nulls=False).alias("cause_lines"),
    ]


def with_causes(groups: pl.DataFrame, outages: pl.DataFrame, event: Sequence[str]) -> pl.DataFrame:
    """Events of outages with cause (empty: not known), end_reasons, first_sign_ms and cause_lines: why the brokers that
    left were gone. outages: those of the events, with REASON of the departure of their root_broker_id."""
    told = (
        outages.filter(is_known(), col("root_broker_id").is_not_null())
        .sort(*event, "root_broker_id", "end_reason_at")
        .unique([*event, "root_broker_id"], keep="first", maintain_order=True)
        .join(groups.select(*event, "valid_from_at"), on=list(event), maintain_order="left")
    )
    size = pl.len().over(event)
    found = (
        told.with_columns(
            one=words(", because it {}", reason("valid_from_at")),
            sign_ms=when(has_sign() & (size == 1)).then(millis("first_sign_at")),
            lines=when(size == 1).then(with_cause_lines(NO_LINES)).otherwise("end_lines"),
        )
        .group_by(event, maintain_order=True)
        .agg(
            known=pl.len(),
            one=col("one").first(),
            end_reasons=col("end_reason").str.join(","),
            first_sign_ms=col("sign_ms").first(),
            cause_lines=col("lines").explode(empty_as_null=False, keep_nulls=False),
        )
        .join(by_reason(told, event), on=list(event))
    )
    is_one = col("known") == 1
    several = words(", because {}", col("each").list.join(", "))
    is_only = is_one & (col("brokers").list.len() == 1)
    cause = when(is_only).then("one").when(col("known") > 0).then(several).otherwise(lit(""))
    return (
        groups.join(found, on=list(event), how="left")
        .with_columns(cause=cause, cause_lines=col("cause_lines").fill_null(lit([], LINES_TYPE)))
        .drop("each", "one", "known")
    )


def by_reason(told: pl.DataFrame, event: Sequence[str]) -> pl.DataFrame:
    """(event, each): brokers 1 and 2 were killed or crashed; broker 3 was told to stop."""
    several = col("ids").list.len() > 1
    name = (
        when(several)
        .then(words("brokers {} were", enumerated("ids")))
        .otherwise(words("broker {} was", enumerated("ids")))
    )
    reason = col("end_reason").replace_strict(SHORT, default=None, return_dtype=pl.String)
    count = col("given_up").list.len()
    gave_up = when(count > 1).then(lit(GAVE_UP.replace("its", "their"))).otherwise(lit(GAVE_UP))
    some = words(" ({} {})", enumerated("given_up"), gave_up)
    end = when(count == col("ids").list.len()).then(words(" and {}", gave_up)).when(count > 0).then(some)
    return (
        told.group_by(*event, "end_reason", maintain_order=True)
        .agg(ids=col("root_broker_id").sort(), given_up=col("root_broker_id").filter(has_given_up()).sort())
        .group_by(event, maintain_order=True)
        .agg(each=words("{} {}{}", name, reason, end.otherwise(lit(""))))
    )


def with_last_departure(
    rows: pl.DataFrame, broker_session: pl.DataFrame, broker_id: pl.Expr, at: str
) -> pl.DataFrame:
    """Rows with gone_id and REASON of its last departure by `at`; null where it is not known, or the broker is back."""
    stays = broker_session.select("cluster_id", "joined_at", gone_id="broker_id")
    left = broker_session.filter(col("left_at").is_not_null(), is_known()).select(
        "cluster_id", "left_at", *REASON, gone_id="broker_id"
    )
    by = ["cluster_id", "gone_id"]
    found = (
        rows.with_columns(gone_id=broker_id)
        .sort(at)
        .join_asof(left.sort("left_at"), left_on=at, right_on="left_at", by=by, check_sortedness=False)
        .join_asof(stays.sort("joined_at"), left_on=at, right_on="joined_at", by=by, check_sortedness=False)
    )
    is_away = (col("left_at") > col("joined_at")).fill_null(value=False)
    return found.with_columns(when(is_away).then(one).alias(one) for one in REASON).drop(
        "left_at", "joined_at"
    )
