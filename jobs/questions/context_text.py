"""How the state of a cluster at one time stands on a terminal and in JSON: counts first, then what is not well."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime

from polars import col

from jobs.layout import format_table, wrap_text
from jobs.questions.ask_text import leader_text, mark_doubted, served_text
from jobs.text import bounds_text, clock_by, epoch_text, format_count, length_text, list_text, shorten_line
from pipeline.views.context.context_partitions import counts_of
from pipeline.views.context.context_rows import (
    CONTROLLER,
    DELETING,
    ELECTION,
    GONE,
    IN_WORK,
    LEADERLESS,
    LIVE,
    MOVING,
    SHUTTING_DOWN,
    TOPIC,
    Context,
)
from pipeline.views.context.documents import context_documents
from pipeline.views.json_values import json_value
from pipeline.views.reading.in_doubt import is_in_doubt
from pipeline.views.reading.rows import Row
from pipeline.views.terms.tenures import KRAFT, NOT_KNOWN

SHOWN = 40
WIDTH = 60
HANG = 12
NOT_TOLD = "?"


def context_json(cluster_id: str, controller: int | None, context: Context) -> list[str]:
    head = {"cluster_id": cluster_id, "at": json_value(context.at), "as_known_by_controller": controller}
    return json.dumps(
        head | {"not_told": context.doubts, "rows": context_documents(context)}, indent=2
    ).splitlines()


def context_summary(context: Context) -> list[str]:
    parts = context.parts
    live, gone, shutting = (joined_keys(known_part(context, name)) for name in (LIVE, GONE, SHUTTING_DOWN))
    topics, deleting, moving, pending = (
        row_count_text(known_part(context, name)) for name in (TOPIC, DELETING, MOVING, ELECTION)
    )
    put_off = sum(one["value"]["state"] == "put_off" for one in parts.get(DELETING) or ())
    held = f" ({put_off} put off)" if put_off else ""
    modes = {one["value"]["mode"] for one in parts[CONTROLLER]}
    lines = [context_controller_text(one, context.at, is_mixed=len(modes) > 1) for one in parts[CONTROLLER]]
    lines = lines or ["CONTROLLER  not known"]
    lines += [
        f"BROKERS     live {live} | shutting down {shutting} | gone {gone}",
        f"TOPICS      {topics} | queued for deletion {deleting}{held}",
        *partition_counts(context),
        f"IN HAND     being reassigned {moving} | elections pending {pending}",
    ]
    lines += [
        f"IN WORK     {one['value']['about']}, since {clock_by(one['since_at'], context.at)}, "
        f"{length_text(one['value']['busy_ms'])} in all"
        for one in parts.get(IN_WORK) or ()
    ]
    lines += [f"NOT TOLD    {shorten_line(one, 400)}" for one in context.doubts]
    return [one for line in lines for one in wrap_text(line, HANG)]


def known_part(context: Context, name: str) -> Sequence[Row] | None:
    """None: not told; nor is it told that there are none where lines may be missing."""
    return context.parts.get(name) or ([] if name in context.parts and not context.doubts else None)


def partition_counts(context: Context) -> list[str]:
    if TOPIC not in context.parts or (context.partitions.is_empty() and context.doubts):
        return [f"PARTITIONS  {NOT_TOLD}"]
    counts = counts_of(context.partitions)
    there = counts["all"] - counts["deleting"]
    leaderless = bounds_text(counts["leaderless"], counts["service_unknown"], there)
    elsewhere = bounds_text(counts["elsewhere"], counts["unknown"], there)
    short = bounds_text(counts["short"], counts["isr_unknown"], there)
    told = (
        f"PARTITIONS  {counts['all']:,} | without leader {leaderless} | led elsewhere {elsewhere} | "
        f"ISR short {short}"
    )
    unknown = f"            leader or replicas of {counts['unknown']:,} are not told by the logs"
    return [told, unknown] if counts["unknown"] else [told]


def joined_keys(rows: Sequence[Row] | None) -> str:
    if rows is None:
        return NOT_TOLD
    return ",".join(one["key"] for one in rows) or "none"


def row_count_text(rows: Sequence[Row] | None) -> str:
    return NOT_TOLD if rows is None else f"{len(rows):,}"


def context_controller_text(one: Row, at: datetime, *, is_mixed: bool) -> str:
    """is_mixed: a cluster that is being migrated has a controller of either mode."""
    value = one["value"]
    since = clock_by(one["since_at"], at) if one["since_at"] else "before the logs begin"
    mode = f"{value['mode']}, " if is_mixed else ""
    term = f"{mode}{epoch_text(value['controller_epoch'])}, term {one['known_by']}"
    if value["office"] == NOT_KNOWN:
        return f"CONTROLLER  not known since {since}, the last line of {value['last_controller_id']} in office ({term})"
    if value["office"] == "vacant":
        return f"CONTROLLER  none known since {since}; the last was {value['last_controller_id']} ({term})"
    doing = {"starting": ", starting up", "deposed": ": deposed, and does not know it"}.get(
        value["office"], ""
    )
    return f"CONTROLLER  {value['controller_id']} ({term}) since {since}{doing}"


def context_broker_lines(context: Context) -> list[str]:
    """The live brokers with their epochs, then those that are gone and how."""
    rows = []
    shutting = {one["key"]: one for one in context.parts.get(SHUTTING_DOWN) or ()}
    for one in context.parts.get(LIVE) or ():
        epoch = one["value"]["broker_epoch"]
        asked = shutting.get(one["key"])
        state = f"shutting down since {clock_by(asked['since_at'], context.at)}" if asked else live_text(one)
        rows.append(
            (one["key"], state, "-" if epoch is None else str(epoch), since_clock_text(one, context.at))
        )
    for one in context.parts.get(GONE) or ():
        why = f"gone: {one['value']['left_how'].replace('_', ' ')}"
        rows.append((one["key"], why, "", since_clock_text(one, context.at)))
    return format_table(("BROKER", "state", "broker epoch", "since"), rows) if rows else []


def live_text(one: Row) -> str:
    return "unfenced" if one["value"]["mode"] == KRAFT else "live"


def since_clock_text(one: Row, at: datetime) -> str:
    return clock_by(one["since_at"], at) if one["since_at"] else NOT_TOLD


def deletion_cells(one: Row, at: datetime) -> tuple[str, ...]:
    value = one["value"]
    left = value["replicas_left"]
    brokers = sorted({(each["broker_id"], each["why"]) for each in value["replicas_not_deletable"]}, key=str)
    waits = ", ".join(f"broker {broker} ({why})" for broker, why in brokers)
    return (
        shorten_line(one["key"], WIDTH),
        since_clock_text(one, at),
        value["state"].replace("_", " "),
        NOT_TOLD if left is None else str(left),
        waits or "-",
    )


def moving_cells(one: Row, at: datetime) -> tuple[str, ...]:
    value = one["value"]
    step = NOT_TOLD if value["step"] is None else f"{value['step_number']} {value['step'].replace('_', ' ')}"
    waits = (
        f"{value['waits_for'].replace('_', ' ')}: {list_text(value['waits_for_brokers'])}"
        if (value["waits_for"])
        else "-"
    )
    moves = f"{list_text(value['from'])} to {list_text(value['to'])}"
    return shorten_line(one["key"], WIDTH), since_clock_text(one, at), moves, step, waits


def leaderless_cells(one: Row, at: datetime) -> tuple[str, ...]:
    value = one["value"]
    broker = "" if value["root_broker_id"] is None else f": broker {value['root_broker_id']}"
    earliest = value["unserved_from_at"]
    return (
        shorten_line(one["key"], WIDTH),
        since_clock_text(one, at),
        NOT_TOLD if earliest is None else clock_by(earliest, at),
        f"{value['root_event'] or NOT_TOLD}{broker}",
    )


def election_cells(one: Row, at: datetime) -> tuple[str, ...]:
    return shorten_line(one["key"], WIDTH), since_clock_text(one, at), one["value"]["trigger"] or NOT_TOLD


Cells = Callable[[Row, datetime], tuple[str, ...]]
TABLES: tuple[tuple[str, tuple[str, ...], Cells], ...] = (
    (
        DELETING,
        ("QUEUED FOR DELETION", "since", "state", "replicas left", "cannot be deleted now"),
        deletion_cells,
    ),
    (MOVING, ("BEING REASSIGNED", "since", "from and to", "step", "waits for"), moving_cells),
    (LEADERLESS, ("WITHOUT LEADER", "noticed", "at the earliest", "by"), leaderless_cells),
    (ELECTION, ("ELECTION PENDING", "since", "asked by"), election_cells),
)


def partition_cells(one: Row, at: datetime) -> tuple[str, ...]:
    in_doubt = is_in_doubt(one)
    return (
        f"{shorten_line(one['topic'], WIDTH)}-{one['partition']}",
        clock_by(one["since_at"], at),
        mark_doubted(leader_text(one["leader"]), is_doubted=in_doubt),
        served_text(one),
        mark_doubted(list_text(one["isr"]), is_doubted=in_doubt or one["is_isr_stale"]),
        mark_doubted(list_text(one["replicas"]), is_doubted=in_doubt or one["is_assignment_stale"]),
        NOT_TOLD if one["leader_epoch"] is None else str(one["leader_epoch"]),
    )


def partition_lines(context: Context, *, is_all: bool) -> list[str]:
    """Those that are not well, the worst first, at most SHOWN of them; or all."""
    rows = context.partitions
    in_trouble = rows.filter(col("trouble").is_not_null(), ~col("is_deleting")).sort(
        "trouble", maintain_order=True
    )
    asked = rows if is_all else in_trouble
    shown = asked if is_all else asked.head(SHOWN)
    if shown.is_empty():
        return []
    cells = [partition_cells(one, context.at) for one in shown.iter_rows(named=True)]
    head = "PARTITION" if is_all else "PARTITION NOT WELL"
    lines = format_table((head, "since", "leader", "served", "isr", "replicas", "epoch"), cells)
    left = len(asked) - len(shown)
    return ["", *lines, *([f"  {left:,} more: --partitions shows all"] if left else [])]


def context_lines(context: Context, *, is_all: bool) -> list[str]:
    lines = context_summary(context)
    for rows in (context_broker_lines(context), *small_tables(context)):
        lines += ["", *rows] if rows else []
    return [*lines, *partition_lines(context, is_all=is_all)]


def small_tables(context: Context) -> list[list[str]]:
    found = []
    for part, head, cells in TABLES:
        rows = context.parts.get(part) or []
        more = (
            [f"  {format_count(len(rows) - SHOWN, 'more row')}: --format json has all"]
            if len(rows) > SHOWN
            else []
        )
        found.append(
            [*format_table(head, [cells(one, context.at) for one in rows[:SHOWN]]), *more] if rows else []
        )
    return found
