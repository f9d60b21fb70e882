"""Lanes with too many marks: none is lost, and no lane takes the room of the others."""

from datetime import UTC, datetime, timedelta

from jobs.questions.window import Window
from jobs.report.condensed import byte_count_of_marks, condense_marks, fair_share
from jobs.report.drawing import draw_timeline
from jobs.report.elements import Room
from jobs.report.scale import Scale
from jobs.report.told import cluster_report
from pipeline.views.reading.answers import Answers
from tests.report.reading import read

BEGIN = datetime(2026, 11, 21, 8, tzinfo=UTC)
SCALE = Scale(BEGIN, BEGIN + timedelta(days=10))


def test_small_lanes_leave_their_room_to_large_ones() -> None:
    assert fair_share([10, 20, 1000, 2000], 430) == 200
    assert fair_share([10, 20], 430) == 430 and fair_share([], 5) == 5 and fair_share([9, 9], 10) == 5


def test_marks_that_stand_close_are_one_that_counts_them() -> None:
    times = [BEGIN + timedelta(minutes=5 * one) for one in range(2880)]
    short = [one for at in times for one in SCALE.bar("outage", at, at + timedelta(minutes=1), "t")]
    long = SCALE.bar("outage", BEGIN, BEGIN + timedelta(days=5), "long")
    found = condense_marks([*long, *short], 40_000, SCALE)
    assert byte_count_of_marks(found) <= 40_000 and long[0] in found
    drawn = [one for one in read("".join(found)).all("rect") if one.text != "long"]
    counts = [int(one.text.partition(" marks that stand close")[0].replace(",", "")) for one in drawn]
    assert sum(counts) == len(short) and {one.attributes["class"] for one in drawn} == {"outage many"}
    spans = [[*map(int, str(one.attributes["data-t"]).split(","))] for one in drawn]
    assert spans[0][0] == 0 and spans[-1][1] == (2879 * 5 + 1) * 60_000
    assert condense_marks(short[:3], 40_000, SCALE) == short[:3]


def test_every_lane_has_its_part_of_a_small_room(sample_answers: Answers) -> None:
    told = cluster_report(sample_answers, Window(), "off", is_stored=True)
    whole, small = (read(draw_timeline(told, "", Room(one))) for one in (1_000_000, 60_000))
    lanes = [
        [len(one.all("rect") + one.all("path")) > 1 for one in root.all("g") if "transform" in one.attributes]
        for root in (whole, small)
    ]
    assert lanes[0] == lanes[1]
    assert "are drawn with others that stand close" in small.text and "more are not drawn" not in small.text
    assert "stand close" not in whole.text
