"""Lives of a cluster's metadata of which a part of the logs tells little: no line is taken for one of another life."""

from datetime import datetime, timedelta

import pytest

from pipeline.silver.term import lives_of
from tests.chain import built
from tests.frames import at
from tests.gold.term_lines import elected, written
from tests.rows import records_in

DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("later", "lives"),
    [
        # Another node, whose clock or zone may be off.
        (timedelta(minutes=1), [1, 1, 1, 1]),
        (12 * DAY, [1, 1, 2, 2]),
    ],
)
def test_an_epoch_below_all_others_days_later_is_of_another_life(later: timedelta, lives: list[int]) -> None:
    start: datetime = at(0)
    epochs = [(3, 4, start), (1, 5, start), (2, 2, start + later), (3, 6, start + later)]
    assert lives_of(("c", "kraft", node, epoch, when) for node, epoch, when in epochs) == lives


@pytest.mark.parametrize("since", [12, None])
def test_an_epoch_that_another_node_had_shows_that_another_life_began(since: int | None) -> None:
    """Its election is not read: from its first line on the term of before is over, and who led then is in doubt."""
    anew = "" if since is None else written(2, 1, since)
    logs = {
        (1, "controller"): elected(1, 1, 0),
        (1, "state-change"): written(1, 1, 1),
        (2, "controller"): elected(2, 2, 4),
        (2, "state-change"): written(2, 2, 5) + anew,
    }
    tables = built(records_in(logs), "term", "controller_line", "partition_timeline", "controller_term")
    terms = dict(tables["term"].select("term_id", "unproved_from_at").rows())
    assert terms == {"1-1": None, "1-2": None if since is None else at(since)}
    lines = tables["controller_line"].filter(term_id="1-2")
    assert lines["logged_at"].max() == at(5)
    last = tables["partition_timeline"].sort("interval_seq", "part_seq").tail(1)
    assert last["certainty"].to_list() == ["undetermined"] if since else ["proved"]
    ended = dict(tables["controller_term"].select("term_id", "ended_how").rows())
    assert ended["1-2"] == ("open" if since is None else None)
