"""Lines of JSON that hold no object, or two: every record is read as itself."""

import json

import pytest

from tests.kafka.reading import read


def event(number: int) -> str:
    message = (
        f"[Controller id=1 epoch=5] Changed partition t-{number} state from NewPartition to OfflinePartition"
    )
    said = {"log.level": "INFO", "log.logger": "state.change.logger", "message": message}
    return json.dumps({"@timestamp": f"2024-03-01T12:00:0{number}.000Z"} | said)


@pytest.mark.parametrize("cuts", [(), (400,), (900,)])
def test_text_in_front_and_two_objects_in_one_line(cuts: tuple[int, ...]) -> None:
    events = [event(number) for number in range(6)]
    lines = ["starting kafka", events[0], events[1], events[2] + events[3], events[4], events[5]]
    rows = read("".join(f"{line}\n" for line in lines).encode(), cuts=cuts, envelope="ecs")
    assert [row["partition"] for row in rows] == [None, 0, 1, None, 4, 5]
    assert [row["not_understood_reason"] for row in rows if row["partition"] is None] == ["no_envelope"] * 2
