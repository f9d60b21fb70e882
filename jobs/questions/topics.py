"""Topics that were created, grown, deleted or removed, counted for the first screen."""

from datetime import datetime

import polars as pl
from polars import col

from jobs.layout import wrap_text
from jobs.text import length_text
from pipeline.core.conditions import column_reaching
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

TABLE = "gold.topic_lifecycle"
COLUMNS = (
    *(
        "created_at",
        "serving_ms",
        "grown",
        "put_off_at",
        "deletion_ms",
        "ended_at",
        "ended_how",
        "created_how",
    ),
    "deletion_state",
)
WAITING = ("requested", "in_progress", "put_off")
ENDS = {"removed_by_hand": "removed by hand", "vanished": "vanished", "wiped": "gone with the metadata"}


def topic_counts(answers: Answers, since: datetime | None) -> Row:
    """Counts of what was at that time or later; None: ever."""
    lives = answers.rows(TABLE, column_reaching("ended_at", since) if since else None, COLUMNS)
    at = pl.element().struct.field("at")
    is_new = pl.lit(value=True) if since is None else col("created_at") >= since
    times = col("grown").list.eval(at if since is None else at.filter(at >= since))
    is_deleted, is_put_off = col("ended_how") == "deleted", col("put_off_at").is_not_null()
    is_waiting = col("ended_at").is_null() & col("deletion_state").is_in(WAITING)
    counts = {how: (col("ended_how") == how).sum() for how in ENDS}
    return lives.select(
        created=(col("created_at").is_not_null() & is_new).sum(),
        slowest_ms=col("serving_ms").filter(is_new).max(),
        grown=(times.list.len() > 0).sum(),
        deleted=is_deleted.sum(),
        put_off=(is_deleted & is_put_off).sum(),
        longest_ms=col("deletion_ms").filter(is_deleted).max(),
        waiting=is_waiting.sum(),
        held=(is_waiting & (col("deletion_state") == "put_off")).sum(),
        no_topic=(col("deletion_state") == "ignored_nonexistent").sum(),
        **counts,
    ).row(0, named=True)


def topic_summary_lines(told: Row | None) -> list[str]:
    """One line; none where nothing was."""
    if not told:
        return []
    slowest, longest = (told[name] for name in ("slowest_ms", "longest_ms"))
    served = f", served after {length_text(slowest)} at most" if slowest is not None else ""
    took = [f"{told['put_off']} put off"] if told["put_off"] else []
    took += [f"after {length_text(longest)} at most"] if longest is not None else []
    how_long = f", {', '.join(took)}" if took else ""
    held = f" ({told['held']} put off)" if told["held"] else ""
    parts = (
        (told["created"], "created", served),
        (told["grown"], "grown", ""),
        (told["deleted"], "deleted", how_long),
        (told["waiting"], "being deleted", held),
        *((told[how], words, "") for how, words in ENDS.items()),
        (told["no_topic"], "asked to delete what is not there", ""),
    )
    found = [f"{words} {count:,}{more}" for count, words, more in parts if count]
    return [*wrap_text(f"TOPICS {' | '.join(found)}", 7), ""] if found else []
