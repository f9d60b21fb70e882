"""Settings, features and access that controllers of KRaft replay, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.model.lines.families import fed, field, field_text
from pipeline.model.lines.texts import LONG, first, found, number, part
from schemas.silver.config_event import HIDDEN, SPEC

# Settings of Kafka's type PASSWORD, with the prefix of a listener too: ConfigurationControlManager hides them from 3.3
# on. Source: SslConfigs, SaslConfigs, PasswordEncoderConfigs.
NOT_SHOWN = r"(?i)(?:password|secret|jaas\.config|keystore\.key|certificate\.chain|truststore\.certificates)$"
NONE = "null"
VOTER = r"ReplicaKey\(id=(\d+), directoryId=([^()]*)\)"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line about one record; every controller prints it, and once more each time that it starts.

    A setting is removed by null; of settings that Kafka does not know, and of those of brokers that it does not know as
    dynamic ones, it hides the value, null too. kraft.version is no record of a feature, and is one for who asks.
    Source: ConfigurationControlManager, FeatureControlManager, from 2.8; ClientQuotaControlManager, AclControlManager,
    ScramControlManager, from 3.5; KRaftControlRecordStateMachine, from 3.9.
    """
    names = ("config_name", "feature_name", "quota_key", "acl_id", "scram_mechanism")
    resource = field("config_resource")
    is_feature, value = col("record") == "feature", pl.coalesce(field_text(), field("metadata_version"))
    is_version = when(field("kraft_version").is_not_null()).then(lit("kraft.version"))
    return (
        fed(log_record, "config_event")
        .rename({"kind": "record"})
        .with_columns(
            name=pl.coalesce(
                *map(field, names), is_version, when(is_feature).then(lit("metadata.version")), "record"
            ),
            resource_type=first(resource, r"^ConfigResource\(type=([A-Z_]+), "),
            resource_name=pl.coalesce(
                first(resource, r"(?s), name='(.*)'\)$"), field("quota_entity"), field("user")
            ),
            printed=when(col("record") == "voters").then(voters()).otherwise(value),
            metadata_offset=number(field("offset"), LONG),
        )
        .with_columns(step=refined())
        .with_columns(value=shown())
        .select(SPEC.columns)
    )


def refined() -> pl.Expr:
    is_config = (col("record") == "config") & (col("step") == "set")
    return (
        when(is_config & (col("printed") == NONE)).then(lit("removed"))
        .when(is_config & (col("printed") == HIDDEN)).then(lit("written"))
        .otherwise("step")
    )  # fmt: skip


def voters() -> pl.Expr:
    """`101 (JEXY6aqzQY-32P5TStzaFg), 102 (…)`, by the directory that each has its part of the log in."""
    each = found(field("voters"), VOTER, "voter", "directory")
    return each.list.eval(pl.format("{} ({})", part("voter"), part("directory"))).list.sort().list.join(", ")


def shown() -> pl.Expr:
    is_secret = (col("record") == "config") & col("name").str.contains(NOT_SHOWN)
    return when(col("step") == "removed").then(None).when(is_secret).then(lit(HIDDEN)).otherwise("printed")
