"""What `incident --format json` gives of a cluster: the verdict, what is so at the end, findings, changes, terms."""

from collections.abc import Iterable, Sequence
from typing import Any

from jobs.engine.run.request import RunResult
from jobs.questions.ask import choose_finding
from jobs.questions.changes import out as changes_out
from jobs.questions.findings_out import ClusterFindings as ToldFindings
from jobs.questions.findings_out import finding_document, finding_documents, iso_or_value
from jobs.screen.facts import Facts
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row, place_of_row

# By how a verdict begins.
CODES = {"NOT OK": "not_ok", "NOT ENOUGH EVIDENCE": "not_enough_evidence", "not judged": "not_judged"}
OF_TERM = (
    *(
        "term_id",
        "controller_id",
        "controller_epoch",
        "mode",
        "elected_at",
        "ready_ms",
        "ended_at",
        "ended_how",
    ),
    *("end_reason", "gap_ms"),
)
OF_OUTAGE = (
    "topic",
    "partition",
    "noticed_at",
    "unserved_from_at",
    "root_event",
    "root_broker_id",
    "certainty",
)
OF_STAY = ("broker_id", "left_at", "end_reason")
OF_BROKER = (
    *(
        "broker_id",
        "preferred_count",
        "led_elsewhere_count",
        "imbalance_ratio",
        "threshold_ratio",
        "is_breach",
    ),
    "certainty",
)


def finding_alone_document(answers: Answers, name: str) -> dict[str, Any]:
    """One finding as it stands in the list of all, with the text of each line that proves it. InputProblem: there is
    none of that name."""
    number, finding = choose_finding(name, answers.findings())
    lines_of = answers.lines(finding["evidence"])
    document = finding_document(number, finding, lines_of)
    raws = (lines_of.get(place_of_row(one)) for one in finding["evidence"])
    texts = (
        bytes(one["raw"] or b"").decode("utf-8", "replace").rstrip("\n") if one else None for one in raws
    )
    evidence = [told | {"text": text} for told, text in zip(document["evidence"], texts, strict=True)]
    return {"cluster_id": answers.cluster_id, "findings": [document | {"evidence": evidence}]}


def incident_document(answers: Answers, result: RunResult, verdict: str, facts: Facts) -> dict[str, Any]:
    """verdict, also as a code; figures of what was read; what is so at the end of the data; findings and changes as
    `findings` and `changes` give them as JSON; terms. A number that is not known is null, a list that is not empty."""
    findings, changes = facts.findings, facts.changes or []
    lines_of = answers.lines([place for one in findings for place in one["evidence"]], shown=())
    listed = ToldFindings(answers.cluster_id, findings, lines_of, answers.last_at())
    read = {name: iso_or_value(value) for name, value in answers.read().items() if name != "new_from_at"}
    return {
        "cluster_id": answers.cluster_id,
        "verdict": verdict,
        "verdict_code": next(
            (code for begin, code in CODES.items() if verdict.startswith(begin)), "nothing_found"
        ),
        "read": read,
        "files": dict(result.states),
        "not_read": [{"path": path, "sentence": said} for path, said in result.unread],
        "left_out": list(result.left_out),
        "at_end": end_document(facts),
        "findings": finding_documents(listed),
        "changes": changes_out.change_documents(changes, changes_out.places_of(answers, changes)),
        "terms": selected(facts.terms, OF_TERM),
        "outages": None if facts.outages is None else facts.outages.all,
    }


def end_document(facts: Facts) -> dict[str, Any]:
    """partitions: how many there are, that nobody serves, that another leader than the preferred one holds, and of how
    many each is not known; null: nothing tells. controller: of the last term, null where it has ended."""
    last = facts.terms[-1] if facts.terms else None
    is_over = last is None or (last["ended_at"] is not None and not last["superseded_at"])
    return {
        "partitions": facts.at_end,
        "deleting": facts.deleting,
        "controller": None if last is None or is_over else selected([last], OF_TERM)[0],
        "leaderless": selected(facts.leaderless, OF_OUTAGE),
        "brokers_gone": selected(facts.gone, OF_STAY),
        "brokers": selected(facts.brokers or [], OF_BROKER),
    }


def selected(rows: Iterable[Row], names: Sequence[str]) -> list[dict[str, Any]]:
    return [{name: iso_or_value(row.get(name)) for name in names} for row in rows]
