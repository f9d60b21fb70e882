"""Proves findings about nodes that did not come up again; knows nothing of what found them."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from pipeline.rules.proving.proof import LIVE, ProofLine, require_proof

STARTED = re.compile(
    r"\[Kafka ?Server (?:id=)?(\d+)\],? started|\[KafkaRaftServer nodeId=(\d+)\] Kafka Server started"
)
SHOWN = re.compile(
    r"(\d+) successfully elected as|Registered broker (\d+) at path"
    r"|(?:QuorumController id=|Controller )(\d+)\] Becoming (?:the )?active"
    r"|request from broker (\d+) to unfence has been granted"
)
STATE_CHANGE = "state.change.logger"
ABOUT = timedelta(seconds=1)


def shown_up(lines: Sequence[ProofLine], node: int | None, at: datetime) -> datetime:
    """That time, if a line says at about it that the node was elected, registered or alive, or it is of a broker's
    state-change.log: threads print into it in another order than their times."""
    for line in lines:
        named = [*SHOWN.finditer(line.text), *STARTED.finditer(line.text)]
        by_name = [one for found in named for one in found.groups() if one]
        listed = [one for found in LIVE.finditer(line.text) for one in re.findall(r"\d+", found[1])]
        is_own = STATE_CHANGE in line.text and line.record.node_id == node
        if (str(node) in by_name + listed or is_own) and abs(line.at() - at) < ABOUT:
            return at
    require_proof(False, f"no record shows it up at {at}")
    return at
