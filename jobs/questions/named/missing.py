"""Where lines are missing, and which logs of the nodes that the lines name were not read."""

from collections.abc import Mapping
from datetime import datetime

from polars import col

from jobs.questions.named.answer import Answer, AnswerItem
from jobs.questions.named.standing import nodes_text
from jobs.text import format_count
from pipeline.core.clocks import day_clock
from pipeline.core.conditions import column_equals, column_reaching
from pipeline.views.changes.frames import LINE
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

GAP, TERM, SESSION = "silver.log_gap", "gold.controller_term", "gold.broker_session"
CONTROLLER, STATE_CHANGE, SERVER, MIXED = "controller", "state-change", "server", "mixed"
STOOD = "^(Candidate|Leader)"  # states of Kafka's raft that a broker alone never has
# What only this log tells, of the nodes whose logs these are.
TELLS = {
    CONTROLLER: "what a controller did and when it was elected",
    STATE_CHANGE: "which leaders and ISRs brokers were told",
}


def missing_evidence(answers: Answers, since: datetime | None) -> Answer:
    """Where lines are missing: what the other answers cannot know."""
    gaps = answers.rows(GAP, None if since is None else column_reaching("until_at", since)).sort(
        "from_at", "node_id", "kind"
    )
    rows = gaps.to_dicts()
    last = answers.last_at()
    if last is None and not rows:
        return Answer("Not enough evidence: no time is on any record.")
    absent, unknown = unread_node_items(answers)
    if not rows and not absent:
        return Answer(
            "No gap is known in the logs that were read, and every node that they name has logs.",
            (),
            unknown,
            last,
        )
    nodes = [str(one) for one in gaps["node_id"].drop_nulls().unique().sort()]
    lines = [
        AnswerItem(
            f"{one['kind'].replace('_', ' ')}: {one['sentence']}",
            one["from_at"],
            one["certainty"],
            one["evidence"],
        )
        for one in rows
    ]
    kinds = gaps.group_by("kind").len().sort("len", "kind", descending=[True, False])
    summed = ", ".join(f"{kind.replace('_', ' ')} {count}" for kind, count in kinds.iter_rows())
    first = f" since {day_clock(since)} UTC" if since else ""
    said = [f"Not read: {'; '.join(one.text for one in absent)}."] if absent else []
    if rows:
        whose = f" of {nodes_text(nodes, 'node')}" if nodes else ""
        said.append(f"{format_count(len(rows), 'gap')}{first} ({summed}){whose}.")
    return Answer(" ".join(said), [*absent, *lines], unknown, last)


def unread_node_items(answers: Answers) -> tuple[list[AnswerItem], list[str]]:
    """Logs of nodes that lines name and that were not read; what that leaves unknown. A file whose node nobody knows
    may be of any of them: nothing is told then of its log."""
    files = answers.segments.select("node_id", "log").unique()
    nobodys = set(files.filter(col("node_id").is_null())["log"])
    logs: dict[int, set[str]] = {}
    for node, log in files.drop_nulls("node_id").iter_rows():
        logs.setdefault(node, set()).add(log)
    if files.is_empty():
        return [], []
    named = named_nodes(answers)
    without = [node for node in named if node not in logs] if not nobodys else []
    found = [unread_node_item(node, named[node]) for node in without]
    acted = controllers_with_lines(answers)
    controllers = standing_voters(answers) | rows_by_node(answers, TERM)
    for log, rows in ((CONTROLLER, controllers), (STATE_CHANGE, rows_by_node(answers, SESSION))):
        nodes = [
            node
            for node in sorted(rows)
            if node in logs
            and not {log, MIXED} & (logs[node] | nobodys)
            and not (log == CONTROLLER and node in acted)
        ]
        if nodes:
            text = f"{log}.log of {nodes_text(list(map(str, nodes)), 'node')}"
            lines = [line for node in nodes for line in rows[node]["evidence"][:1]]
            found.append(AnswerItem(f"{text} ({TELLS[log]})", None, "proved", lines))
        elif not rows and not any(log in one or MIXED in one for one in (nobodys, *logs.values())):
            found.append(AnswerItem(f"{log}.log of any node ({TELLS[log]})"))
    silent = [str(node) for node in sorted(logs) if not {SERVER, MIXED} & (logs[node] | nobodys)]
    beside = f"why processes ended, and what else nodes say of themselves: server.log of {nodes_text(silent, 'node')}"
    return found, [f"{beside} was not read (nightly --server-log)"] if silent else []


def controllers_with_lines(answers: Answers) -> set[int]:
    """Controllers whose own lines were read, in whatever file: KRaft has them in server.log up to 3.3.1."""
    lines = answers.rows("silver.controller_line", column_equals("log", CONTROLLER), ("controller_id",))
    return set(lines["controller_id"])


def standing_voters(answers: Answers) -> dict[int, Row]:
    """Nodes of a KRaft quorum that stood for election, by server.log: whoever may be controller does."""
    states = answers.rows(
        "silver.controller_step", column_equals("area", "quorum"), ("node_id", "detail", *LINE)
    )
    stood = states.filter(col("detail").str.contains(STOOD)).unique("node_id", keep="first").to_dicts()
    return {one["node_id"]: {"evidence": [{name: one[name] for name in LINE}]} for one in stood}


def named_nodes(answers: Answers) -> Mapping[int, Row]:
    """Controllers and brokers that lines name, each with the row of its last term or stay."""
    named = rows_by_node(answers, SESSION) | rows_by_node(answers, TERM)
    return dict(sorted(named.items()))


def rows_by_node(answers: Answers, table: str) -> dict[int, Row]:
    if not answers.has(table):
        return {}
    node, at = ("controller_id", "elected_at") if table == TERM else ("broker_id", "joined_at")
    return {one[node]: one for one in answers.rows(table).sort(at, nulls_last=False).to_dicts()}


def unread_node_item(node: int, row: Row) -> AnswerItem:
    was = f"controller of epoch {row['controller_epoch']}" if "controller_epoch" in row else "a broker"
    return AnswerItem(f"any log of node {node}, which was {was}", None, "proved", row["evidence"][:1])
