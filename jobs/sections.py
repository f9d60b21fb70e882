"""The tables of the first screen: terms, brokers, moves."""

from collections.abc import Sequence

from jobs.answers import Row
from jobs.facts import Facts
from jobs.text import clock, ratio_text, shortened, table


def term_lines(terms: Sequence[Row]) -> list[str]:
    rows = [
        (
            one["term_id"],
            str(one["controller_id"]),
            clock(one["elected_at"]) if one["elected_at"] else "not seen",
            f"{one['ready_ms']} ms" if one["ready_ms"] is not None else "-",
            clock(one["ended_at"]) if one["ended_at"] else "-",
            (one["ended_how"] or "not known").replace("_", " "),
            gap_text(one["gap_ms"]),
        )
        for one in terms[-20:]
    ]
    more = [f"     {len(terms) - 20} earlier terms in gold.controller_term"] if len(terms) > 20 else []
    return [*table(("TERM", "controller", "elected", "ready", "ended", "how", "next after"), rows), *more, ""]


def gap_text(gap_ms: int | None) -> str:
    if gap_ms is None:
        return ""
    return f"{gap_ms / 1000:.1f} s" if gap_ms >= 0 else f"{-gap_ms / 1000:.1f} s BEFORE its end"


def broker_lines(facts: Facts) -> list[str]:
    if facts.brokers is None:
        return []
    if any(one["mode"] == "kraft" for one in facts.terms):
        note = "KRaft controllers never read leader.imbalance.per.broker.percentage: no breach is judged"
    else:
        note = "high = leads too FEW of what it should; breach: ratio > limit, strictly"
    rows = [
        (
            str(one["broker_id"]),
            str(one["leads"] or 0),
            str(one["preferred_count"] or 0),
            str(one["led_elsewhere_count"] or 0),
            ratio_text(one["imbalance_ratio"]),
            ratio_text(one["threshold_ratio"]),
            "BREACH" if one["is_breach"] else "",
            ""
            if one["certainty"] != "undetermined"
            else "undetermined: the beginning of the history is missing",
        )
        for one in facts.brokers
    ]
    if not rows:
        return ["BROKER  leader imbalance: not enough evidence", ""]
    return [
        *table(("BROKER", "leads", "preferred", "elsewhere", "ratio", "limit", "", ""), rows),
        f"     {note}",
        "",
    ]


def move_lines(facts: Facts) -> list[str]:
    counts = facts.moves
    if counts is None:
        return []
    total = sum(count for verdict, count in counts.items() if verdict != "normal")
    if not total:
        kraft = any(one["mode"] == "kraft" for one in facts.terms)
        return [
            "MOVES  not judged: KRaft has other state machines"
            if kraft
            else "MOVES  not judged: no move was logged",
            "",
        ]
    names = (
        "illegal",
        "discontinuity",
        "undetermined",
        "refused",
        "failed",
        "first",
        "valid",
        "same_state",
        "hidden",
    )
    said = " | ".join(f"{name.replace('_', ' ')} {counts.get(name, 0):,}" for name in names)
    lines = [f"MOVES  {said}", f"       {counts['normal']} of the refused are normal in this release"]
    if facts.level and not facts.level["is_trace"]:
        lines.append(
            "       INFO: replica moves, and partitions going Offline or NonExistent, are not printed; to see them set"
        )
        lines.append("       log4j.logger.state.change.logger=TRACE, stateChangeAppender")
    odd = facts.odd_moves
    for one in odd:
        found = facts.lines[one["file_id"], one["byte_offset"]]
        text = bytes(found["raw"] or b"").decode("utf-8", "replace").splitlines()[0]
        normal = f" (normal: {one['normal']})" if one["normal"] else ""
        lines.append(f"  {one['verdict']}{normal}  {found['path']}:{found['line']}")
        lines.append(f"    {shortened(text, 230)}")
    odd_count = counts.get("illegal", 0) + counts.get("refused", 0)
    more = [f"  {odd_count - len(odd)} more in gold.transition_audit"] if odd_count > len(odd) else []
    return [*lines, *more, ""]
