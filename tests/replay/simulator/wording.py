"""Lines in the words of one release, from the product's table of templates."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tests.oracle.rows import PLACE, WORDING, Release, lines, release

INFO_SINCE: Release = (2, 6)  # KAFKA-8470: state.change.logger is at INFO as shipped


@dataclass(frozen=True)
class Form:
    """One template of one release; `pieces`: literal text and names of fields in turn."""

    logger: str
    level: str
    pieces: tuple[str, ...]

    @property
    def fields(self) -> frozenset[str]:
        return frozenset(self.pieces[1::2])

    def message(self, values: Mapping[str, object]) -> str:
        return "".join(str(values[piece]) if place % 2 else piece for place, piece in enumerate(self.pieces))


@cache
def forms(event: str, version: Release) -> tuple[Form, ...]:
    """The templates of an event in a release, those with the most fields first; none if it has no such line."""
    found = []
    for row in lines(WORDING / "by_mode" / "zookeeper.tsv"):
        since, until = release(row["since"]), release(row["until"])
        if row["event"] == event and since <= version and version[: len(until)] <= until:
            *above, lowest = row["level"].split("|")
            level = lowest if version >= INFO_SINCE or not above else above[0]
            found.append(Form(row["logger"], level, tuple(PLACE.split(row["template"]))))
    return tuple(sorted(found, key=lambda form: -len(form.fields)))


def said(event: str, version: Release, values: Mapping[str, object]) -> tuple[Form, str] | None:
    """Form and message of the template that takes most of the values; None where the release has no such line."""
    for form in forms(event, version):
        if form.fields <= values.keys():
            return form, form.message(values)
    return None


def partition_name(version: Release, topic: str, partition: int) -> str:
    return f"{topic}-{partition}" if version >= (1, 0) else f"[{topic},{partition}]"


def leader_and_isr(version: Release, leader: int, epoch: int, isr: list[int]) -> str:
    """LeaderAndIsr.toString; the releases before 1.1 print the leader alone."""
    listed = ", ".join(map(str, isr))
    if version >= (3, 5):
        brokers = ", ".join(f"BrokerState(brokerId={one}, brokerEpoch=-1)" for one in isr)
        return (
            f"LeaderAndIsr(leader={leader}, leaderEpoch={epoch}, isrWithBrokerEpoch=List({brokers}), "
            f"leaderRecoveryState=RECOVERED, partitionEpoch={epoch})"
        )
    recovery = ", leaderRecoveryState=RECOVERED" if version >= (3, 2) else ""
    last = "partitionEpoch" if version >= (3, 3) else "zkVersion"
    return f"LeaderAndIsr(leader={leader}, leaderEpoch={epoch}, isr=List({listed}){recovery}, {last}={epoch})"
