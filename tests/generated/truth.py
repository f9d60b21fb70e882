"""What is true of a generated cluster, noted while it is simulated."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

TEXTS = dict.fromkeys(("topic", "how", "mode", "machine", "from_state", "to_state"), pl.String)


@dataclass
class Truth:
    """leaders: (topic, partition, leader, at, shown) as controllers decide, leader -2: deleted; shown: when the
    last line of it is written. outages: (topic,
    partition, from, noticed, until): from: its leader died, noticed: a controller wrote that it is offline, null where
    another controller found it so. ratios: (at, controller, broker, led elsewhere, preferred). Times in ms."""

    mode: str = "zk"
    leaders: list[tuple[str, int, int, int, int]] = field(default_factory=list)
    outages: list[tuple[str, int, int, int | None, int]] = field(default_factory=list)
    terms: list[tuple[int, int, int]] = field(default_factory=list)
    ratios: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    unclean: list[tuple[str, int, int, int]] = field(default_factory=list)
    moves: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    departures: list[tuple[int, str, int, bool]] = field(default_factory=list)
    without_leader: dict[str, list[int | None]] = field(default_factory=dict)
    last_leader: dict[str, int] = field(default_factory=dict)

    def leader(self, name: str, leader: int, at: int, shown: int | None = None) -> None:
        if self.last_leader.get(name) != leader:
            self.last_leader[name] = leader
            self.leaders.append((*parts(name), leader, at, shown or at))

    def uncleanly(self, name: str, leader: int, at: int) -> None:
        self.unclean.append((*parts(name), leader, at))

    def died(self, name: str, at: int, noticed: int | None) -> None:
        self.without_leader.setdefault(name, [at, noticed])[1] = noticed

    def led_again(self, name: str, at: int) -> None:
        if name in self.without_leader:
            died, noticed = self.without_leader.pop(name)
            self.outages.append((*parts(name), died or at, noticed, at))

    def tables(self) -> dict[str, pl.DataFrame]:
        moves = [(*move, count) for move, count in sorted(self.moves.items())]
        return {
            "leaders": frame(self.leaders, "topic", "partition", "leader", "at", "shown"),
            "outages": frame(self.outages, "topic", "partition", "from", "noticed", "until"),
            "cluster": frame([(self.mode,)], "mode"),
            "terms": frame(self.terms, "controller_epoch", "controller_id", "elected_at"),
            "ratios": frame(self.ratios, "at", "controller_id", "broker_id", "led_elsewhere", "preferred"),
            "unclean": frame(self.unclean, "topic", "partition", "leader", "at"),
            "departures": frame(self.departures, "at", "how", "broker_id", "was_controller"),
            "moves": frame(moves, "machine", "from_state", "to_state", "count"),
        }

    def write(self, folder: Path) -> None:
        """One Parquet file a table."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in self.tables().items():
            rows.write_parquet(folder / f"{name}.parquet")


def parts(name: str) -> tuple[str, int]:
    """Topic and partition of TOPIC-N."""
    topic, _, partition = name.rpartition("-")
    return topic, int(partition)


def frame(rows: Sequence[tuple[object, ...]], *columns: str) -> pl.DataFrame:
    schema = {name: pl.Boolean if name == "was_controller" else TEXTS.get(name, pl.Int64) for name in columns}
    return pl.DataFrame(rows, schema=schema, orient="row")
