"""Whose state-change.log is missing, without which nobody knows who led what."""

from polars import col

from jobs.questions.answers import Answers

TERM, EVIDENCE = "silver.term", "gold.evidence"


def half_read(answers: Answers) -> str | None:
    """In words; None: of no controller in ZooKeeper mode, and in KRaft not of all nodes."""
    if not (answers.has(TERM) and answers.has(EVIDENCE)):
        return None
    columns = ("mode", "controller_id", "told_from_at", "are_moves_read")
    is_half_read = col("told_from_at").is_not_null() & ~col("are_moves_read").fill_null(value=True)
    terms = answers.rows(TERM, None, columns).sort("told_from_at")
    controllers = (
        terms.filter(is_half_read, col("mode") == "zookeeper")["controller_id"].unique().sort().to_list()
    )
    if controllers:
        noun = "controllers" if len(controllers) > 1 else "controller"
        return f"no line of state-change.log of {noun} {', '.join(map(str, controllers))} was read"
    logs = answers.rows(EVIDENCE, None, ("logs",))["logs"].explode()
    if terms["mode"].tail(1).to_list() == ["kraft"] and "state-change" not in logs:
        return "no line of state-change.log was read"
    return None
