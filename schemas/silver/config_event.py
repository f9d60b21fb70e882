"""Dynamic settings, features, access and voters as nodes of KRaft read their records, or brokers ZooKeeper."""

from schemas.spec import RECORD, TableSpec, nullable_field, required_field
from schemas.types import INTEGER, LONG, STRING

RECORDS = (
    "config",  # ConfigRecord: a setting of a topic, a broker, all brokers, a group, client metrics
    "feature",  # FeatureLevelRecord
    "quota",  # ClientQuotaRecord (from 3.6)
    "acl",  # AccessControlEntryRecord (from 3.6)
    "scram",  # UserScramCredentialRecord (from 3.5)
    "voters",  # VotersRecord of a quorum whose voters may be changed (from 3.9)
)
STEPS = (
    "set",
    "removed",
    "written",  # set or removed: Kafka hides the value
    "stated",  # ZooKeeper: all settings that it has from then on
)
HIDDEN = "[hidden]"  # what Kafka prints for a value that may be a secret

SPEC = TableSpec(
    name="silver.config_event",
    grain="One line that says that a dynamic setting, feature, quota, right or set of voters was set or removed.",
    key=("file_id", "byte_offset"),
    fields=(
        *RECORD,
        required_field("record", STRING, "What the record is about.", accepted=RECORDS),
        required_field("step", STRING, "What it does.", accepted=STEPS),
        nullable_field(
            "controller_id",
            INTEGER,
            "The controller that replays it, in office or not; null: the line names none (node_id).",
        ),
        nullable_field(
            "resource_type", STRING, "Of a setting: TOPIC, BROKER, GROUP, CLIENT_METRICS, as Kafka has it."
        ),
        nullable_field(
            "resource_name",
            STRING,
            "Topic or broker, null: all brokers; entity of a quota; user of a credential.",
        ),
        required_field(
            "name",
            STRING,
            "Setting (stated: all), feature, quota, id of the right, mechanism of the credential, or voters.",
        ),
        nullable_field(
            "value",
            STRING,
            f"Value, level, right, or voters with their directories; {HIDDEN}: it may be a secret; null: removed, "
            "none stated, and of credentials.",
        ),
        nullable_field(
            "metadata_offset", LONG, "Place of the record in the metadata log, where the line says it."
        ),
    ),
)
