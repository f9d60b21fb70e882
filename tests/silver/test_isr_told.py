"""Terms whose controller prints every change of ISR, as leaders ask it for each."""

import pytest

from tests.chain import built
from tests.rows import records_in

ELECTED = "[2026-11-21 00:00:{0:02d},000] INFO [Controller id={1}] {1} successfully elected as the controller. Epoch incremented to {2} and epoch zk version is now {2} (kafka.controller.KafkaController)"
ASKED_ISR = "[2026-11-21 00:00:{0:02d},000] DEBUG [Controller id={1}] Updating ISRs for partitions: Set(t-0). (kafka.controller.KafkaController)"
WROTE_ISR = "[2026-11-21 00:00:{0:02d},000] DEBUG [Controller id={1}] Sending MetadataRequest to Brokers: Vector(1, 2) for TopicPartitions: Set(t-0) (kafka.controller.KafkaController)"


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        pytest.param(
            [(1, 2), (1, 9)], [], ["1-1", "1-3", "1-4"], id="also of a term in which no ISR changes"
        ),
        pytest.param([(1, 2), (1, 6)], [], ["1-1", "1-3"], id="not after the last of them"),
        pytest.param([(1, 2), (1, 9)], [(2, 4)], ["1-3", "1-4"], id="once no leader writes one itself"),
        pytest.param([(1, 2), (1, 9)], [(2, 10)], [], id="leaders may have done so all the time"),
        pytest.param([(2, 4)], [], ["1-2"], id="of its own node"),
    ],
)
def test_who_tells_of_every_isr(
    first: list[tuple[int, int]], second: list[tuple[int, int]], told: list[str]
) -> None:
    """Controller 1 is in office from second 1, 5 and 7 on, controller 2 from 3 on. first: lines of what leaders ask
    for, second: of what they wrote themselves, as (node, second)."""
    elections = ((1, 1, 1), (3, 2, 2), (5, 1, 3), (7, 1, 4))
    lines = [
        *((node, at, ELECTED.format(at, node, epoch)) for at, node, epoch in elections),
        *((node, at, ASKED_ISR.format(at, node)) for node, at in first),
        *((node, at, WROTE_ISR.format(at, node)) for node, at in second),
    ]
    in_turn = sorted(lines, key=lambda line: line[1])
    logs = {(node, "controller"): "\n".join(text for of, _, text in in_turn if of == node) for node in (1, 2)}
    found = built(records_in(logs), "term")["term"]
    assert sorted(found.filter("is_isr_told")["term_id"]) == told
