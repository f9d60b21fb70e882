"""Proves again what findings say of elections, from the bytes of their records."""

import re
from collections.abc import Sequence

from pipeline.rules.proving.proof import ProofLine, require_proof

UNCLEAN = (
    re.compile(r"No broker in ISR is alive for (\S+)\. Elect leader (\d+) from live brokers"),
    re.compile(r"Changed partition (\S+) from .* with state .*?leader=(\d+).*leaderRecoveryState=RECOVERING"),
)
# In KRaft: of a topic by its id; which one that is the line of the new leader says.
UNCLEAN_CHOICE = re.compile(
    r"Setting new leader for topicId (\S+), partition (\d+) to (\d+) using an unclean election"
)
UNCLEAN_DIFF = re.compile(
    r"UNCLEAN partition change for (\S+) with topic ID \S+: .*\bleader: -?\d+ -> (\d+),.*RECOVERED -> RECOVERING"
)
NAMED = re.compile(r"(\S+)-(\d+) with topic (?:id|ID) (?:Some\()?([\w-]{22})")
LEADER = re.compile(r"(?i)leader\"?[=:] ?(-?\d+)")
ISR = re.compile(r"(?i)isr(?:WithBrokerEpoch)?\"?[=:] ?((?:List|BrokerState|broker\w+=|[-\d\[(, )])*)")
BROKER = re.compile(r"(?<!Epoch=)(?<![-\d])\d+")
GIVEN = re.compile(r"to OnlinePartition with (?:leader (\d+)|state .*?leader=(-?\d+))")


def chosen_in_kraft(line: ProofLine, lines: Sequence[ProofLine]) -> tuple[str, str] | None:
    """Partition and leader of an unclean election in KRaft; null of another line."""
    if diff := UNCLEAN_DIFF.search(line.text):
        return diff[1], diff[2]
    if choice := UNCLEAN_CHOICE.search(line.text):
        found = [one for each in lines if (one := NAMED.search(each.text))]
        names = {(one[3], one[2]): one[1] for one in found}
        return f"{names.get((choice[1], choice[2]), choice[1])}-{choice[2]}", choice[3]
    return None


def elected_leader(line: ProofLine) -> tuple[str, str] | None:
    """Partition and leader of an election, null of another line."""
    found = GIVEN.search(line.text)
    return (line.move["partition"] or "", found[1] or found[2]) if line.move and found else None


def require_isr(election: ProofLine, in_sync: Sequence[str] | None) -> None:
    """Its line has these replicas in the ISR; up to 1.0 it has none. None: it is not said."""
    if in_sync is not None and (isr := ISR.search(election.text)):
        ids = BROKER.findall(isr[1])
        require_proof(ids == in_sync, f"its ISR is {', '.join(ids)}")
