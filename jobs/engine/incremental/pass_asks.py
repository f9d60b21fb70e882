"""What the steps of one pass over the shards ask for."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from jobs.engine.incremental.starts import NEVER
from pipeline.core.conditions import Condition


@dataclass
class PassAsks:
    """What the steps of a pass ask for, by key. values: what gives what each shard is handed; carried: the same of
    states that are parted; partials: by key their names; begins: by the name of a table whose rows are parted, from
    when on steps take them; None: all. counting: of such a table which of its stored rows count for a step that takes
    all."""

    values: dict[str, Callable[[], Any]] = field(default_factory=dict)
    carried: dict[str, Callable[[], Any]] = field(default_factory=dict)
    partials: dict[str, str] = field(default_factory=dict)
    begins: dict[str, list[datetime | None]] = field(default_factory=lambda: defaultdict(list))
    counting: dict[str, Condition] = field(default_factory=dict)

    def since(self, name: str) -> datetime | None:
        begins = [one for one in self.begins[name] if one is not None]
        return min(begins) if len(begins) == len(self.begins[name]) else None

    def note(self, name: str, since: datetime | None, counting: Condition | None) -> None:
        """counting: of a step that takes all, which rows count; None: all."""
        if counting is None:
            self.begins[name].append(since)
        else:
            self.begins[name].append(NEVER)
            self.counting[name] = self.counting[name] | counting if name in self.counting else counting
