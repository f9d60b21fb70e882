"""What statements of a partition tell of lines that are missing between them."""

import pytest
from polars import col, lit

from pipeline.model.terms.missing_moves import left_out_epochs
from schemas.gold import partition_timeline
from tests.frames import at, frame

ELECTED, SENT = "partition_transition", "update_metadata_sent"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        # A request names a leader that no line elected.
        ([(1, ELECTED, 1, 4), (9, SENT, 2, 5)], [(1, 9)]),
        # The line before it does, be it without the epoch as up to 1.0.
        ([(1, ELECTED, 1, 4), (8, ELECTED, 2, 5), (9, SENT, 2, 5)], []),
        ([(1, ELECTED, 1, 4), (8, ELECTED, 2, ""), (9, SENT, 2, 5)], []),
        # A replica that is removed from the ISR raises the epoch, too, and up to 2.5 no line says so.
        ([(1, ELECTED, 1, 4), (9, SENT, 1, 6)], []),
        # The last one in the ISR is gone.
        ([(1, ELECTED, 1, 4), (9, SENT, -1, 5)], []),
        ([(1, ELECTED, 1, 4), (9, SENT, -1, 6)], [(1, 9)]),
        # Who is back is elected by a line, too.
        ([(1, ELECTED, -1, 4), (9, SENT, 2, 5)], [(1, 9)]),
        # A controller that was deposed says what was before.
        ([(1, ELECTED, 2, 5), (2, SENT, 1, 4), (9, SENT, 2, 5)], []),
        ([(1, ELECTED, 2, 5), (2, SENT, 1, 4), (9, SENT, 2, 6)], []),
        # Each election raises it by one.
        ([(1, ELECTED, 1, 4), (9, ELECTED, 1, 6)], [(1, 9)]),
    ],
)
def test_a_request_shows_an_election_that_no_line_tells(
    rows: list[tuple[int, str, int, int | str]], expected: list[tuple[int, int]]
) -> None:
    text = "\n".join(
        f"c | a | 1 | 0 | {second} | {leader} | {epoch} | 3 | {second}" for second, _, leader, epoch in rows
    )
    head = "cluster_id | topic | topic_life | partition | valid_from_at | leader | leader_epoch | controller_epoch | seq"
    said = frame(partition_timeline.SPEC, f"{head}\n{text}").with_columns(
        col("seq").alias("byte_offset"), at="valid_from_at", era=lit(1), file_id=lit("f"), replicas=lit([1])
    )
    events = [event for _, event, _, _ in rows]
    spoken = said.with_columns(event=col("seq").replace_strict([one[0] for one in rows], events))
    found = left_out_epochs(spoken)
    assert found.select("since_at", "until_at").rows() == [
        (at(since), at(until)) for since, until in expected
    ]
