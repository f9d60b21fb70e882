"""Channels of a controller whose begin no line shows, and what is not told of requests: small logs."""

from collections import Counter

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from polars import col

from pipeline.gold.request_trace.aligning import fitting_places
from tests.chain import built_of_many
from tests.gold.request_lines import (
    BACK,
    SHUT,
    controller_says,
    elected,
    handles,
    learns,
    opened,
    receives_partition,
    sends,
    story,
    tells,
)

SENT = tells(1, 0) + sends(2, 3) + tells(3, 4) + sends(4, 5)
GOT = handles(2.1, 1, 3) + learns(3.1, 2, 4)
# Of a channel, second by second: UpdateMetadata of 0 partitions (0) and LeaderAndIsr requests of so many.
MIDDLE = [3, 0, 4, 3, 5, 0, 0, 2, 3, 8, 3, 4]
LATE = [6, 0, 2]


def sent_each(counts: list[int], since: float = 1) -> str:
    return "".join(sends(since + at, one) if one else tells(since + at, 0) for at, one in enumerate(counts))


def got_each(counts: list[int], first_id: int = 40, since: float = 1.1) -> str:
    """What the broker says of them."""
    return "".join(handles(since + at, first_id + at, one) for at, one in enumerate(counts) if one)


SENDS_LATE = sent_each(MIDDLE) + sends(13, 6) + sent_each(LATE, 31)
GETS_LATE = got_each(MIDDLE) + got_each(LATE, 0, 31.1)
DEPARTS = controller_says(20, SHUT) + controller_says(30, BACK)
# controller.log, state-change.log of the controller, of the broker; what became of the requests.
MIDDLES = {
    # The controller has been in office for days: no line opens the channel.
    "both": ("", sent_each(MIDDLE), got_each(MIDDLE), "9 received, 3 unseen"),
    # The logs of both begin elsewhere.
    "begins later": ("", sent_each(MIDDLE[2:]), got_each(MIDDLE), "8 received, 2 unseen, 1 of the broker alone"),
    "got later": ("", sent_each(MIDDLE), got_each(MIDDLE[1:], 41, 2.1), "8 received, 3 unseen, 1 undetermined"),
    # It breaks off: what was sent behind its last request is lost, as the broker goes on in the next one.
    "breaks off": (DEPARTS + opened(30.1), SENDS_LATE, GETS_LATE, "11 received, 4 unseen, 1 lost_broker_gone"),
    # The same, and no line opens the next one: requests may be of either.
    "unopened": (DEPARTS, SENDS_LATE, GETS_LATE, "4 unseen, 12 undetermined, 11 of the broker alone"),
    # A clock of another zone, and one that is wrong by more than that.
    "zone": ("", sent_each(MIDDLE), got_each(MIDDLE, since=1801.1), "9 received, 3 unseen"),
    "clock": (
        "", sent_each(MIDDLE), got_each(MIDDLE, since=1401.1), "3 unseen, 9 undetermined, 9 of the broker alone"
    ),
    # Twice the same: the second time may be the first.
    "twice": ("", sent_each(MIDDLE), got_each(MIDDLE * 2), "3 unseen, 9 undetermined, 18 of the broker alone"),
    # Too few, and too much alike.
    "few": ("", sent_each(MIDDLE[:9]), got_each(MIDDLE[:9]), "3 unseen, 6 undetermined, 6 of the broker alone"),
    "alike": ("", sent_each([3, 4] * 6), got_each([3, 4] * 6), "12 undetermined, 12 of the broker alone"),
    # A line of either is missing.
    "hole": (
        "", sent_each(MIDDLE), got_each([*MIDDLE[:4], 0, *MIDDLE[5:]]),
        "3 unseen, 9 undetermined, 8 of the broker alone",
    ),
    "hole in sent": (
        "", sent_each([*MIDDLE[:4], *MIDDLE[5:]]), got_each(MIDDLE), "3 unseen, 8 undetermined, 9 of the broker alone"
    ),
}  # fmt: skip


def outcomes(cases: dict[str, tuple[str, str, str, str]]) -> dict[str, str]:
    """By case how often each outcome is; requests that the broker alone tells of stand apart."""
    stories = {name: story(controller=c, moves=m, broker=b) for name, (c, m, b, _) in cases.items()}
    rows = built_of_many(stories, "request_trace")["request_trace"]
    return {name: outcome_counts(rows.filter(col("cluster_id") == name)) for name in cases}


def outcome_counts(rows: pl.DataFrame) -> str:
    sent = Counter(rows.filter(col("request_seq").is_not_null())["outcome"].replace("applied", "received"))
    kinds = ("received", "unseen", "lost_broker_gone", "not_seen", "undetermined")
    alone = rows["request_seq"].null_count()
    counts = {kind: sent.pop(kind, 0) for kind in kinds} | {"of the broker alone": alone} | sent
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)


def test_a_channel_without_its_begin_is_joined_where_its_requests_fit_in_one_place() -> None:
    assert outcomes(MIDDLES) == {name: case[-1] for name, case in MIDDLES.items()}


@given(st.data())
@settings(deadline=None)
def test_places_are_those_at_which_all_that_both_tell_is_alike(data: st.DataObject) -> None:
    codes = st.lists(st.integers(0, 4), min_size=4, max_size=40)
    sent, noise = data.draw(codes), data.draw(codes)
    at = data.draw(st.integers(0, len(sent)))
    got = (
        noise[: data.draw(st.integers(0, 3))] + sent[at:] + data.draw(codes)
        if data.draw(st.booleans())
        else noise
    )
    wanted = []
    for place in range(-len(sent), len(got)):
        both = [(sent[one], got[one + place]) for one in range(len(sent)) if 0 <= one + place < len(got)]
        told = [one for one, _ in both if one]
        if all(one == other for one, other in both) and len(told) >= 8 and len(set(told)) >= 3:
            wanted.append(place)
    assert fitting_places(np.array(sent), np.array(got)) == wanted[:2]


STAYS = controller_says(0.5, BACK) + controller_says(600, SHUT) + controller_says(620, BACK) + opened(620.1)
LATER, GOT_LATER = sends(621, 7), handles(621.1, 0, 7)
STAYING = {
    "told": (elected() + opened(0.1) + STAYS, SENT + LATER, GOT + GOT_LATER, "3 received, 1 unseen, 1 not_seen"),
    # The line that connects the channel is missing.
    "unconnected": (
        elected() + opened(0.1, is_connected=False) + STAYS, SENT + LATER, GOT_LATER,
        "1 received, 1 unseen, 3 undetermined",
    ),
    # A broker of 2.5 prints each partition of LeaderAndIsr, and nothing of StopReplica; then it is one of 2.6.
    "upgraded": (
        elected() + opened(0.1) + STAYS, SENT + LATER, receives_partition(2.1, 1) + GOT_LATER,
        "2 received, 1 unseen, 2 undetermined",
    ),
}  # fmt: skip


def test_only_what_would_be_told_is_not_seen() -> None:
    assert outcomes(STAYING) == {name: case[-1] for name, case in STAYING.items()}


REOPENED = elected() + opened(0.1) + controller_says(20, SHUT) + controller_says(30, BACK) + opened(30.1)
AGAIN = {
    # Of two channels in a row one request each is there, with the same id: of another sort, and of the same one.
    "other sort": (REOPENED, sends(1, 3) + tells(31, 4), handles(1.1, 0, 3) + learns(31.1, 0, 4), "2 received"),
    "same sort": (REOPENED, sends(1, 3) + sends(31, 4), handles(1.1, 0, 3) + handles(31.1, 0, 4), "2 received"),
    "same size": (REOPENED, tells(1, 4) + tells(31, 4), learns(1.1, 0, 4) + learns(31.1, 0, 4), "2 received"),
    # A line that stands there twice is of the same moment.
    "doubled line": (
        elected() + opened(0.1), sends(1, 3) + sends(2, 4), handles(1.1, 0, 3) * 2 + handles(2.1, 1, 4), "2 received"
    ),
}  # fmt: skip


def test_an_id_that_comes_again_is_of_the_next_channel() -> None:
    assert outcomes(AGAIN) == {name: case[-1] for name, case in AGAIN.items()}
