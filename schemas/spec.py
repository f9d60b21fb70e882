"""How a table is declared: grain, key, columns, checks. Declarations hold no logic and need no JVM."""

from dataclasses import dataclass

import pyarrow as pa

from schemas.types import INTEGER, LONG, STRING, TIMESTAMP, array_type, struct_type

# In the order in which they stand on one another.
LAYERS = ("bronze", "silver", "state", "gold", "ops")


@dataclass(frozen=True)
class Field:
    """One column. `accepted`: the closed list of its values, empty where any value of the type may stand.

    `rebuilt`: SQL over the other columns; readers get the value from this where none is stored.
    """

    name: str
    type: pa.DataType
    comment: str
    nullable: bool = True
    accepted: tuple[str, ...] = ()
    rebuilt: str = ""


@dataclass(frozen=True)
class Check:
    """A condition that holds on every row: SQL over the columns, never null, as Delta takes that for a violation."""

    name: str
    condition: str


@dataclass(frozen=True)
class TableSpec:
    """One Delta table `<warehouse>/<cluster_id>/<layer>/<table>`.

    `grain` says what one row is; `key` names the columns that no two rows share.
    `checks` become Delta CHECK constraints and expectations of the gate.
    """

    name: str
    grain: str
    key: tuple[str, ...]
    fields: tuple[Field, ...]
    checks: tuple[Check, ...] = ()

    @property
    def layer(self) -> str:
        return self.name.split(".")[0]

    @property
    def table(self) -> str:
        return self.name.split(".")[1]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    @property
    def arrow(self) -> pa.Schema:
        """The columns as Arrow has them; whether one may be null is said, and enforced where rows are stored."""
        return pa.schema([pa.field(f.name, f.type, f.nullable) for f in self.fields])


def nullable_field(
    name: str, type: pa.DataType, comment: str, *, accepted: tuple[str, ...] = (), rebuilt: str = ""
) -> Field:
    """A column that may be null: absent is null, never an empty string."""
    return Field(name, type, comment_with_values(comment, accepted), True, accepted, rebuilt)


def required_field(name: str, type: pa.DataType, comment: str, *, accepted: tuple[str, ...] = ()) -> Field:
    """A column that is never null."""
    return Field(name, type, comment_with_values(comment, accepted), False, accepted)


def comment_with_values(comment: str, accepted: tuple[str, ...]) -> str:
    """The comment with the values that may stand, unless it names each."""
    is_told = all(value in comment for value in accepted)
    return comment if is_told else f"{comment} One of: {', '.join(accepted)}."


CLUSTER_ID = required_field("cluster_id", STRING, "Name of the cluster; the folder of its tables.")
FILE_ID = required_field("file_id", STRING, "Identity of the log file by content; joins bronze.source_file.")
LOAD_SEQ = required_field(
    "load_seq", LONG, "Number of the segment that brought the row; grows with every load."
)
BYTE_OFFSET = required_field("byte_offset", LONG, "Where the record starts in the uncompressed file, bytes.")
RECORD: tuple[Field, ...] = (
    CLUSTER_ID,
    FILE_ID,
    LOAD_SEQ,
    BYTE_OFFSET,
    required_field("logged_at", TIMESTAMP, "When it was logged, UTC."),
    nullable_field("node_id", INTEGER, "Node that wrote the line."),
    required_field("event", STRING, "What the line is, e.g. broker_change; see bronze.log_record."),
)

CERTAINTY = required_field(
    "certainty",
    STRING,
    "proved: a line says it; inferred: several lines imply it; undetermined: the evidence does not decide.",
    accepted=("proved", "inferred", "undetermined"),
)
EVIDENCE_TYPE = array_type(struct_type(("file_id", STRING), ("byte_offset", LONG)))
EVIDENCE = required_field(
    "evidence",
    EVIDENCE_TYPE,
    "The records (file_id, byte_offset) that the row rests on, the opening one first.",
)
TERM_ID = nullable_field(
    "term_id",
    STRING,
    "Tenure of one controller, '<life>-<epoch>': the life tells apart epochs that a wiped cluster uses again.",
)
DAY_AT = required_field(
    "day_at",
    TIMESTAMP,
    "Begin of the day in UTC: the chunk that a run builds anew when it brings lines of it.",
)
TOPIC_LIFE = required_field(
    "topic_life", INTEGER, "Which life of that topic name, from 1: a re-created topic is another life."
)
TOPIC_PARTITION: tuple[Field, ...] = (
    required_field("topic", STRING, "Topic."),
    TOPIC_LIFE,
    required_field("partition", INTEGER, "Partition."),
)
BROKER_IDS = array_type(INTEGER)
