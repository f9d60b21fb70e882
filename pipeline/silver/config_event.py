"""Settings, features and access as nodes read them, from bronze.log_record."""

import polars as pl
from polars import col, lit, when

from pipeline.core.incremental import Incremental
from pipeline.model.lines.families import family_records, field_text, printed_field
from pipeline.model.lines.texts import LONG, element_field, first_match, matched_groups, number_in_text
from schemas.silver.config_event import HIDDEN, SPEC

# Settings of Kafka's type PASSWORD, with the prefix of a listener too: ConfigurationControlManager hides them from 3.3
# on. Source: SslConfigs, SaslConfigs, PasswordEncoderConfigs.
NOT_SHOWN = (
    r"(?i)(?:password|secret|jaas\.config|keystore\.key|certificate\.chain|truststore\.certificates)$|^scram-"
)
NONE = "null"
# Where ZooKeeper has settings: /config/topics/<topic>, quotas and credentials at users and clients.
ENTITY = r"^(\w+)/(.*)$"
DEFAULT, ALL = "<default>", "all"
TYPES = {"topics": "TOPIC", "brokers": "BROKER"}
VOTER = r"ReplicaKey\(id=(\d+), directoryId=([^()]*)\)"


def build(log_record: pl.DataFrame) -> pl.DataFrame:
    """One row per line about one record; every controller prints it, and once more each time that it starts. In
    ZooKeeper mode one per line about all settings of a topic or broker: each broker prints it.

    A setting is removed by null; of settings that Kafka does not know, and of those of brokers that it does not know as
    dynamic ones, it hides the value, null too. kraft.version is no record of a feature, and is one for who asks.
    Source: ConfigurationControlManager, FeatureControlManager, from 2.8; ClientQuotaControlManager, AclControlManager,
    ScramControlManager, from 3.5; KRaftControlRecordStateMachine, from 3.9; DynamicConfigManager, ZkConfigManager,
    0.9.0 to 3.9.
    """
    names = ("config_name", "feature_name", "quota_key", "acl_id", "scram_mechanism")
    resource, path, is_stated = printed_field("config_resource"), entity_path(), col("step") == "stated"
    entity_type = path.str.extract(ENTITY, 1)
    is_of_client = is_stated & ~entity_type.is_in([*TYPES])
    is_feature, value = (
        col("record") == "feature",
        pl.coalesce(field_text(), printed_field("metadata_version")),
    )
    is_version = when(printed_field("kraft_version").is_not_null()).then(lit("kraft.version"))
    return (
        family_records(log_record, "config_event")
        .rename({"kind": "record"})
        .with_columns(
            record=when(is_of_client).then(lit("quota")).otherwise("record"),
            name=pl.coalesce(
                when(is_stated).then(lit(ALL)),
                *map(printed_field, names),
                is_version,
                when(is_feature).then(lit("metadata.version")),
                "record",
            ),
            resource_type=pl.coalesce(
                first_match(resource, r"^ConfigResource\(type=([A-Z_]+), "),
                entity_type.replace_strict(TYPES, default=None, return_dtype=pl.String),
            ),
            resource_name=pl.coalesce(
                first_match(resource, r"(?s), name='(.*)'\)$"),
                printed_field("quota_entity"),
                printed_field("user"),
                entity_name(path),
            ),
            printed=when(col("record") == "voters")
            .then(voters_by_directory())
            .when(is_stated)
            .then(sorted_config_text())
            .otherwise(value),
            metadata_offset=number_in_text(printed_field("offset"), LONG),
        )
        .with_columns(step=refined_config_step())
        .with_columns(value=config_value_shown())
        .select(SPEC.columns)
    )


def refined_config_step() -> pl.Expr:
    is_config = (col("record") == "config") & (col("step") == "set")
    return (
        when(is_config & (col("printed") == NONE)).then(lit("removed"))
        .when(is_config & (col("printed") == HIDDEN)).then(lit("written"))
        .otherwise("step")
    )  # fmt: skip


def entity_path() -> pl.Expr:
    """`topics/orders`, from 0.10.1 on as the line has it."""
    return pl.coalesce(
        printed_field("entity_path"),
        pl.concat_str(printed_field("entity_type"), lit("/"), printed_field("entity_name")),
    )


def entity_name(path: pl.Expr) -> pl.Expr:
    """Topic or broker, null: all brokers; of users and clients the whole path."""
    is_own, name = path.str.extract(ENTITY, 1).is_in([*TYPES]), path.str.extract(ENTITY, 2)
    return when(~is_own).then(path).when(name != DEFAULT).then(name)


def sorted_config_text() -> pl.Expr:
    """`Map(b -> 2, a -> 1)`, up to 0.10.2 `{b=2, a=1}`, as `a = 1, b = 2`; null: none."""
    inside = printed_field("config_text").str.replace(r"(?s)^\w*[({](.*)[)}]$", "${1}")
    pair = pl.element().str.replace(r"^([^ =]+)(?: -> |=)", "${1} = ")
    name = pair.str.extract(r"^([^ ]+) = ", 1)
    is_secret = name.str.contains(NOT_SHOWN).fill_null(value=False)
    told = when(is_secret).then(pl.concat_str(name, lit(f" = {HIDDEN}"))).otherwise(pair)
    return inside.str.split(", ").list.eval(told).list.sort().list.join(", ").replace("", None)


def voters_by_directory() -> pl.Expr:
    """`101 (JEXY6aqzQY-32P5TStzaFg), 102 (…)`, by the directory that each has its part of the log in."""
    each = matched_groups(printed_field("voters"), VOTER, "voter", "directory")
    return (
        each.list.eval(pl.format("{} ({})", element_field("voter"), element_field("directory")))
        .list.sort()
        .list.join(", ")
    )


def config_value_shown() -> pl.Expr:
    is_secret = (col("record") == "config") & col("name").str.contains(NOT_SHOWN)
    return when(col("step") == "removed").then(None).when(is_secret).then(lit(HIDDEN)).otherwise("printed")


INCREMENTAL = Incremental(is_taken_whole=True)
