"""Whose state-change.log is missing, without which nobody knows who led what."""

from jobs.questions.answers import Answers
from pipeline.model.terms.succession import half_read

TERM, EVIDENCE = "silver.term", "gold.evidence"


def half_read_text(answers: Answers) -> str | None:
    """In words; None: of no controller in ZooKeeper mode, and in KRaft not of all nodes."""
    if not (answers.has(TERM) and answers.has(EVIDENCE)):
        return None
    columns = ("mode", "controller_id", "told_from_at", "are_moves_read")
    terms = answers.rows(TERM, None, columns).sort("told_from_at")
    controllers = half_read(terms)["controller_id"].unique().sort().to_list()
    if controllers:
        noun = "controllers" if len(controllers) > 1 else "controller"
        return f"no line of state-change.log of {noun} {', '.join(map(str, controllers))} was read"
    logs = answers.rows(EVIDENCE, None, ("logs",))["logs"].explode()
    if terms["mode"].tail(1).to_list() == ["kraft"] and "state-change" not in logs:
        return "no line of state-change.log was read"
    return None
