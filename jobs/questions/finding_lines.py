"""The findings of the first screen, each with its first record and what to do; of some rules one stands for all."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby

from jobs.layout import installed_command, wrap_text
from jobs.playbook.pages import what_to_do
from jobs.text import clock_by, printable_line, shorten_line
from pipeline.views.reading.rows import Row

SEVERITY = {"critical": "CRIT", "warning": "WARN", "info": "INFO"}
SHOWN = 12
HANG = 8
MOST = 1000  # characters of a sentence
# What many findings of a rule say together, and which one stands for them.
TOGETHER = {
    "outage": "{} events left partitions without a leader, see OUTAGE; the worst: ",
    "new_life": "{} times the cluster began anew; the first: ",
    "missing_logs": "{} gaps in the logs; the first: ",
    "stuck_deletion": "{} deletions of topics were put off; the first: ",
    "topic_without_leader_since_creation": "{} topics had no leader since their creation; the first: ",
    "topic_vanished": "{} topics vanished; the first: ",
    "topic_removed_by_hand": "{} topics were removed by hand; the first: ",
    "slow_creation": "{} topics were served late; the first: ",
    "recreated_at_once": "{} topics were created anew at once; the first: ",
    "reassignment_failed": "{} reassignments failed; the first: ",
    "reassignment_skipped": "{} reassignments were skipped; the first: ",
    "replica_left_on_disk": "{} reassignments left logs on disks; the first: ",
    "deletion_disabled": "{} requests to delete topics were dropped; the first: ",
}
Numbered = tuple[int, Row]


def unsuppressed_findings(findings: Sequence[Row]) -> list[Row]:
    """Those that conf does not know already; they come first, and so have the first numbers."""
    return [one for one in findings if one["suppressed_by"] is None]


def standing_findings(findings: Sequence[Row]) -> list[Row]:
    """Of those the new and ongoing ones."""
    return [one for one in unsuppressed_findings(findings) if one["status"] in {"new", "ongoing"}]


def is_finding_since(finding: Row, since: datetime | None) -> bool:
    """True if it was still so at that time."""
    until = finding["valid_until_at"]
    return since is None or finding["status"] != "resolved" or until is None or until.astimezone(UTC) >= since


def finding_groups(findings: Sequence[Row], since: datetime | None) -> list[list[Numbered]]:
    """Of what was still so at that time: the OUTAGE part lists outages by event, `findings` all."""
    return group_alike(
        [one for one in enumerate(unsuppressed_findings(findings), 1) if is_finding_since(one[1], since)]
    )


def group_alike(findings: Sequence[Numbered]) -> list[list[Numbered]]:
    """Those one after another that are TOGETHER, of one severity and status, are one group."""

    def likeness(one: Numbered) -> tuple[object, ...]:
        number, finding = one
        if finding["rule"] not in TOGETHER:
            return (number,)
        return finding["rule"], finding["severity"], finding["status"]

    return [list(group) for _, group in groupby(findings, likeness)]


def worst_finding(group: Sequence[Numbered]) -> Row:
    """Of outages the one that took most: all of its partitions together; the first of those alike, and of others."""
    return max((one for _, one in group), key=lambda one: one["facts"].get("total_ms") or 0)


def first_evidence(findings: Sequence[Row], since: datetime | None) -> list[Row]:
    """The first record behind each line that is shown."""
    first = (worst_finding(group)["evidence"] for group in finding_groups(findings, since)[:SHOWN])
    return [evidence[0] for evidence in first if evidence]


def screen_finding_lines(
    findings: Sequence[Row],
    lines_of: Mapping[tuple[str, int], Row],
    last: datetime | None,
    since: datetime | None = None,
    more: str = "findings",
) -> list[str]:
    """For the first screen; last: the end of the data; more: what tells those that are not shown."""
    found = finding_groups(findings, since)
    lines = lines_with_to_do(found[:SHOWN], lines_of, last)
    hidden = [one for group in found[SHOWN:] for _, one in group]
    if hidden:
        lines += wrap_text(f"     {len(hidden)} more ({by_rule(hidden)}): {more}", HANG)
    return [*lines, ""] if lines else []


def by_rule(findings: Sequence[Row]) -> str:
    """2 WARN outage, 3 INFO missing_logs: what is not shown, by severity and rule in their order."""
    counts = Counter((SEVERITY[one["severity"]], one["rule"]) for one in findings)
    return ", ".join(f"{count} {severity} {rule}" for (severity, rule), count in counts.items())


def every_line(
    findings: Sequence[Row], lines_of: Mapping[tuple[str, int], Row], last: datetime | None
) -> list[str]:
    """Each finding for itself."""
    return lines_with_to_do([[one] for one in enumerate(unsuppressed_findings(findings), 1)], lines_of, last)


def lines_with_to_do(
    found: Sequence[Sequence[Numbered]], lines_of: Mapping[tuple[str, int], Row], last: datetime | None
) -> list[str]:
    """What to do of several one after another that ask for the same stands below the last of them."""
    asked = [group_to_do(group) for group in found]
    lines: list[str] = []
    for group, to_do, next_to_do in zip(found, asked, [*asked, None][1:], strict=True):
        lines += group_lines(group, lines_of, last)
        if to_do and to_do != next_to_do:
            lines += wrap_text(f"{' ' * HANG}do: {to_do}", HANG)
    return lines


def group_to_do(group: Sequence[Numbered]) -> str | None:
    """None: it is only told."""
    one = worst_finding(group)
    return None if one["severity"] == "info" else what_to_do(one["rule"], is_open=is_group_open(group))


def is_group_open(group: Sequence[Numbered]) -> bool:
    return any(finding["valid_until_at"] is None for _, finding in group)


def group_lines(
    group: Sequence[Numbered], lines_of: Mapping[tuple[str, int], Row], last: datetime | None
) -> list[str]:
    number, one = group[0][0], worst_finding(group)
    numbers = f"F{number}" if len(group) == 1 else f"F{number}-F{group[-1][0]}"
    many = TOGETHER[one["rule"]].format(len(group)) if len(group) > 1 else ""
    still = "  OPEN" if is_group_open(group) else ""
    lines = wrap_text(
        f"{SEVERITY[one['severity']]} {numbers} {clock_by(one['valid_from_at'], last)} {many}"
        f"{shorten_line(one['sentence'], MOST)}  [{one['certainty']}, {one['status']}]{still}",
        HANG,
    )
    place = one["evidence"][0] if one["evidence"] else None
    found = lines_of.get((place["file_id"], place["byte_offset"])) if place else None
    if found:
        lines.append(f"{' ' * HANG}{printable_line(found['near'])}:{found['line']}")
    return lines


def to_do_lines(finding: Row) -> list[str]:
    """Where all of one finding is shown."""
    to_do = what_to_do(finding["rule"], is_open=finding["valid_until_at"] is None)
    if to_do is None:
        return []
    return [*wrap_text(f"  WHAT TO DO  {to_do}"), f"    $ {installed_command()} playbook {finding['rule']}"]
