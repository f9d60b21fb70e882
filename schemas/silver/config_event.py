"""Dynamic settings, features and access as the controllers of KRaft replay their records."""

from schemas.spec import RECORD, TableSpec, field, required
from schemas.types import INTEGER, STRING

RECORDS = (
    "config",  # ConfigRecord: a setting of a topic, a broker, all brokers, a group, client metrics
    "feature",  # FeatureLevelRecord
    "quota",  # ClientQuotaRecord (from 3.6)
    "acl",  # AccessControlEntryRecord (from 3.6)
    "scram",  # UserScramCredentialRecord (from 3.5)
)
STEPS = (
    "set",
    "removed",
    "written",  # set or removed: Kafka hides the value
)
HIDDEN = "[hidden]"  # what Kafka prints for a value that may be a secret

SPEC = TableSpec(
    name="silver.config_event",
    grain="One line that says that one dynamic setting, feature level, quota or right was set or removed.",
    key=("file_id", "byte_offset"),
    fields=(
        *RECORD,
        required("record", STRING, "What the record is about.", accepted=RECORDS),
        required("step", STRING, "What it does.", accepted=STEPS),
        field("controller_id", INTEGER, "The controller that replays it, in office or not."),
        field(
            "resource_type", STRING, "Of a setting: TOPIC, BROKER, GROUP, CLIENT_METRICS, as Kafka has it."
        ),
        field(
            "resource_name",
            STRING,
            "Topic or broker, null: all brokers; entity of a quota; user of a credential.",
        ),
        required("name", STRING, "Setting, feature, quota, id of the right, or mechanism of the credential."),
        field(
            "value",
            STRING,
            f"Value, level or right; {HIDDEN}: it may be a secret; null: removed, and of credentials.",
        ),
    ),
)
