"""Findings of a part of the logs against those of the whole."""

import re
from collections.abc import Iterator

from tests.evidence.statements import (
    LESS,
    NEAR,
    OTHER,
    SAME,
    UNDETERMINED,
    Frame,
    Row,
    Said,
    by,
    clipped,
    meeting,
    title,
)

# Of what is missing (a discontinuity says so between two lines: gold.transition_audit is compared line by line); and
# what Kafka's own lines say where our ratio is not known.
OF_EVIDENCE = ("missing_logs", "not_understood", "stated_imbalance", "discontinuity")

# These name several partitions in one finding: its entity is the first one, and of many its sentence has some.
OF_SEVERAL = ("below_min_isr",)
MORE = " more "
TOPIC_ID = r"[A-Za-z0-9_-]{22}"
SEVERITIES = ("info", "warning", "critical")

# A departure of a broker is told by the rule that knows most of it.
ALSO_TOLD_BY = {
    "broker_fenced": ("outage", "broker_flapping", "unclean_shutdown", "log_dir_failed", "fatal_fault")
}
# What a controller that outlived its term did not do is told with that, and that it did with what it wrote.
ALSO_OF_TERM = {
    "controller_stalled": ("controller_outlived",),
    "controller_outlived": ("deposed_controller_wrote",),
}
# A gap without a controller in KRaft is told with the votes of the quorum, where its lines are read.
ALSO_OF_CLUSTER = {"no_controller": ("quorum_without_leader",)}


def findings(part: list[Row], whole: list[Row], frame: Frame) -> Iterator[Said]:
    """A finding is one of the whole: of its rule and entity at that time, no more severe; open only if that goes on."""
    true = by(whole, "rule")
    for row in part:
        if row["rule"] in OF_EVIDENCE:
            yield Said(SAME)
            continue
        others = [one for rule in ALSO_TOLD_BY.get(row["rule"], ()) for one in true.get((rule,), [])]
        of_term = [one for rule in ALSO_OF_TERM.get(row["rule"], ()) for one in true.get((rule,), [])]
        of_rule = [one for one in true.get((row["rule"],), []) if is_of_same_object(row, one)]
        of_rule += [one for one in others if is_about(one, row["facts"])]
        of_rule += [one for one in of_term if one["term_id"] == row["term_id"]]
        of_rule += [one for rule in ALSO_OF_CLUSTER.get(row["rule"], ()) for one in true.get((rule,), [])]
        meets = meeting(row, of_rule, ("valid_from_at",), "valid_until_at", frame, NEAR * 30)
        if not meets and row["certainty"] != UNDETERMINED:
            yield Said(OTHER, f"{row['severity']} {title(row)}: whole has none: {row['sentence']}")
        elif not meets:
            yield Said(LESS)
        elif row["valid_until_at"] is None and all(clipped(one["valid_until_at"], frame) for one in meets):
            yield Said(OTHER, f"{row['severity']} {title(row)}: open, whole ended: {row['sentence']}")
        else:
            yield severity(row, meets, frame)


def is_of_same_object(row: Row, one: Row) -> bool:
    """An outage names the brokers that were gone where these are known, else one of its partitions. A topic may be known
    by its id alone. Whom a controller refused is not known where it may be one of several."""
    if row["rule"] == "refused_registration" and None in {
        row["facts"]["broker_id"],
        one["facts"]["broker_id"],
    }:
        return True
    if row["rule"] != "outage":
        is_by_id = re.fullmatch(TOPIC_ID, row["facts"].get("topic") or "")
        is_same_number = row["facts"].get("partition") == one["facts"].get("partition")
        is_among = row["rule"] in OF_SEVERAL and is_named_in(row["entity"], one["sentence"])
        return bool(one["entity"] == row["entity"] or is_among or (is_by_id and is_same_number))
    gone, known = row["facts"]["broker_ids"], one["facts"]["broker_ids"]
    return not (gone and known) or bool({*gone} & {*known})


def is_named_in(entity: str, sentence: str) -> bool:
    return entity in sentence or MORE in sentence


def severity(row: Row, meets: list[Row], frame: Frame) -> Said:
    """What is open is critical, however it ends; and a loss that a later line refutes was to be feared before it. That
    brokers were shut down, which their own logs tell, is known of no outage that tells no reason."""
    goes_on = [one for one in meets if clipped(one["valid_until_at"], frame) is None]
    highest = max(SEVERITIES.index(one.get("severity") or "critical") for one in meets)
    if SEVERITIES.index(row["severity"]) <= highest or (row["valid_until_at"] is None and goes_on):
        return Said(SAME)
    if any(one["facts"].get("records_at_risk") == 0 for one in meets):
        return Said(LESS)
    is_reason_untold = row["rule"] == "outage" and not row["facts"]["end_reasons"]
    if is_reason_untold and all(one["facts"].get("end_reasons") for one in meets):
        return Said(LESS)
    told = f"{row['severity']} {title(row)}: whole {SEVERITIES[highest]}: {row['sentence']}"
    return Said(OTHER, told)


def is_about(one: Row, facts: Row) -> bool:
    """True if a finding of the whole names the broker of these facts."""
    named = one["facts"]
    return facts["broker_id"] in (*(named["broker_ids"] or ()), named["broker_id"], named["node_id"])
