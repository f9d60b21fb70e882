"""Which logs are missing: of a node that others name, or one kind of a node's logs."""

import pytest

from jobs.questions.named.missing import missing_evidence
from schemas.bronze import source_file
from schemas.gold import broker_session, controller_term
from schemas.silver import controller_line, controller_step, log_gap
from tests.frames import at, frame
from tests.jobs.answering import answers_of

TERMS = """
    term_id | life | mode  | controller_id | controller_epoch | elected_at | evidence
    1-2     | 1    | kraft | 101           | 2                | 1          | []
    1-3     | 1    | kraft | 102           | 3                | 5          | []
"""
STAYS = """
    broker_id | joined_at | evidence
    1         | 1         | []
    2         | 1         | []
"""
STATES = """
    node_id | area   | detail
    101     | quorum | Leader(localId=101, epoch=2)
    103     | quorum | CandidateState(localId=103, epoch=4)
    1       | quorum | FollowerState(leaderId=101, epoch=2)
"""
ALL = {
    *((node, log) for node in (101, 102, 103) for log in ("controller", "server")),
    *((node, log) for node in (1, 2) for log in ("state-change", "server")),
}
NOTHING = "No gap is known in the logs that were read, and every node that they name has logs."
OF_CONTROLLERS = "(what a controller did and when it was elected)"


@pytest.mark.parametrize(
    ("without", "said"),
    [
        (set(), NOTHING),
        (
            {(102, "controller"), (102, "server")},
            "Not read: any log of node 102, which was controller of epoch 3.",
        ),
        ({(2, "state-change"), (2, "server")}, "Not read: any log of node 2, which was a broker."),
        ({(103, "controller")}, f"Not read: controller.log of node 103 {OF_CONTROLLERS}."),
        (
            {(1, "state-change"), (2, "state-change"), (102, "controller")},
            f"Not read: controller.log of node 102 {OF_CONTROLLERS}; state-change.log of nodes 1, 2 (which leaders and "
            "ISRs brokers were told).",
        ),
        # Its lines are in another file, as KRaft has them up to 3.3.1.
        ({(101, "controller")}, NOTHING),
    ],
)
def test_logs_of_nodes_that_lines_name(without: set[tuple[int, str]], said: str) -> None:
    read = "\n".join(f"{node} | {log} | 9" for node, log in sorted(ALL - without))
    answers = answers_of(
        source_file=frame(source_file.SPEC, f"node_id | log | last_logged_at\n{read}"),
        controller_term=frame(controller_term.SPEC, TERMS),
        broker_session=frame(broker_session.SPEC, STAYS),
        controller_step=frame(controller_step.SPEC, STATES),
        controller_line=frame(controller_line.SPEC, "controller_id | log\n101 | controller"),
    )
    found = missing_evidence(answers, None)
    assert found.sentence == said and found.not_known == []


def test_a_file_of_which_nobody_knows_the_node_may_be_of_any() -> None:
    rows = "node_id | log | last_logged_at\n101 | server | 9\n | controller | 9\n1 | mixed | 9"
    answers = answers_of(
        source_file=frame(source_file.SPEC, rows),
        controller_term=frame(controller_term.SPEC, TERMS),
        broker_session=frame(broker_session.SPEC, STAYS),
    )
    assert missing_evidence(answers, None).sentence == NOTHING
    alone = answers_of(
        source_file=frame(source_file.SPEC, "node_id | log | last_logged_at\n1 | state-change | 9")
    )
    found = missing_evidence(alone, None)
    assert found.sentence == f"Not read: controller.log of any node {OF_CONTROLLERS}."
    assert found.not_known[0].endswith("server.log of node 1 was not read (nightly --server-log)")


def test_gaps_are_counted_by_kind() -> None:
    rows = """
        node_id | kind         | from_at | until_at | certainty | sentence | evidence
        1       | term_missing | 1       | 2        | proved    | no line  | []
        1       | silence      | 1       | 2        | proved    | no line  | []
        1       | silence      | 5       | 6        | proved    | no line  | []
    """
    answers = answers_of(log_gap=frame(log_gap.SPEC, rows))
    assert missing_evidence(answers, None).sentence == "3 gaps (silence 2, term missing 1) of node 1."
    assert missing_evidence(answers, at(5)).sentence == (
        "1 gap since 2026-11-21 00:00:05.000 UTC (silence 1) of node 1."
    )
