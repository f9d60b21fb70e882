"""The tables of log lines, held against what Kafka's sources print (0.8.0 to 4.3.1)."""

import re

import pyarrow as pa
import pytest

from pipeline.core.match import NO_TEMPLATE
from pipeline.kafka.wording.templates import field_kinds, template_matcher, template_rows

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
RELEASE = re.compile(r"0\.\d+\.\d+(\.\d+)?|[1-9]\.\d+(\.\d+)?")
PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
IDENT = re.compile(r"^\[[^\]]*\][:,]? ?")

OC, OM = "org.apache.kafka.controller.", "org.apache.kafka.metadata.migration."
ID = "VbZ0LxJ4TD6Y2m4hYvJ3Ow"

# Ident, first and last release that prints it. Source: logIdent and LogContext of the classes.
IDENTS = [
    (r"\[Broker id=", "1.0", "current"),
    (r"\[Controller id=", "1.0", "3.9"),
    (r"\[Controller \{controller_id\}\]: ", "0.8.0", "0.11.0"),
    (r"\[Controller \{controller_id\}\] ", "2.8", "3.4"),
    (r"\[QuorumController id=", "3.5", "current"),
    (r"\[(Replica|Partition)StateMachine controllerId=", "1.0", "3.9"),
    (r"\[(Replica|Partition) state machine on ", "0.8.0", "0.11.0"),
    (r"\[(RequestSendThread|ControllerEventThread) controllerId=", "1.1", "3.9"),
    (r"\[controller-event-thread\]: ", "0.11.0", "1.0"),
    (r"\[Controller-.*-send-thread\], ", "0.8.0", "0.10.2"),
    (r"\[Controller-.*-send-thread\]: ", "0.11.0", "1.0"),
    (r"\[Topic Deletion Manager \{controller_id\}\], ", "0.8.2", "2.2"),
    (r"\[Topic Deletion Manager \{controller_id\}\] ", "2.3", "3.9"),
    (r"\[[A-Za-z]+Listener on ", "0.8.0", "0.10.2"),
    (r"\[KRaftMigrationDriver id=", "3.5", "3.9"),
    (r"\[RaftManager nodeId=", "2.8", "3.4"),
    (r"\[RaftManager id=", "3.5", "current"),
    (r"\[SnapshotGenerator \{", "3.4", "3.4"),
    (r"\[SnapshotGenerator id=", "3.5", "current"),
    (r"\[BrokerLifecycleManager .*isZkBroker=true\]", "3.5", "3.9"),
]

# Fields whose text Kafka leaves open: exceptions, names chosen by users, JSON, toString of open objects.
FREE_TEXT = """
    action assignment batch_header bootstrap_nodes callback changed_partition channel_text client_id
    committed_state config_text controller_info current_disabled_reason current_log_dir data dest_log
    details election endpoint endpoints epoch_election error_message error_text event exception
    exception_message failure_suffix fault_message feature_name features fetch_partition_data fetch_session
    fetch_source fetched_snapshot fetched_voters future_log handler high_watermark_metadata json json_data
    leader_epoch_end_offset load_summary log_dir log_dirs log_text manifest metadata_version_text
    migration_event name new_high_watermark_metadata new_leader_and_isr new_voters not_ready_msg offline_dir
    out_of_sync_replicas packet partial_manifest partition_data partition_states path peer
    previous_raft_state principal problem proposed_isr_state quota_entity raft_state reason records
    remote_fetch_info replica_key replica_state request request_context response results section segments
    setting_value settings snapshot_file source source_log store stored_data supported_kraft_versions
    task_name token_id transaction_metadata truncation_state user value voted_key voter_endpoints voters
    zk_event
"""

PARTITION_STATES = [
    "(LeaderAndIsrInfo:(Leader:1,ISR:1,2,LeaderEpoch:0,ControllerEpoch:5),ReplicationFactor:2),AllReplicas:1,2)",
    "org.apache.kafka.common.requests.LeaderAndIsrRequest$PartitionState@1b2c3d4",
    "PartitionState(controllerEpoch=5, leader=-2, leaderEpoch=0, isr=1,2, zkVersion=0, replicas=1,2, isNew=true)",
    "StopReplicaPartitionState(partitionIndex=0, leaderEpoch=-2, deletePartition=true)",
    "UpdateMetadataPartitionState(topicName='a.b-c', partitionIndex=0, isr=[1, 2], offlineReplicas=[])",
]
SAID = {
    "from_partition_state": ["NonExistentPartition", "NewPartition"],
    "to_replica_state": ["ReplicaDeletionIneligible", "NewReplica"],
    "topic_id": [ID, f"Some({ID})", "None"],
    "leader_isr_and_controller_epoch": [
        "(Leader:-1,ISR:,LeaderEpoch:0,ControllerEpoch:5)",
        "(Leader:1,ISR:1,2,LeaderEpoch:0,ZkVersion:7,ControllerEpoch:5)",
        "(Leader:1,ISR:1,LeaderRecoveryState:RECOVERING,LeaderEpoch:0,ZkVersion:7,ControllerEpoch:5)",
    ],
    "leader_and_isr": [
        '{ "ISR":"1,2", "leader":"1", "leaderEpoch":"0" }',
        '{"leader":1,"leader_epoch":0,"isr":[1,2]}',
        "LeaderAndIsr(leader=1, leaderEpoch=0, isr=List(1, 2), zkVersion=0)",
        "LeaderAndIsr(leader=1, leaderEpoch=0, isrWithBrokerEpoch=List(BrokerState(brokerId=1, brokerEpoch=-1)), "
        "leaderRecoveryState=RECOVERED, partitionEpoch=0)",
    ],
    "partition_state": PARTITION_STATES,
    "broker_node": ["id:2,host:kafka2,port:9092", "Node(2, kafka2, 9092)", "k:9092 (id: 2 rack: us east)"],
    "leader_node": ["-1", "Some(2)", "None", "BrokerEndPoint(id=2, host=kafka2:9092)"],
    "initial_state": ["Map()", "HashMap((t,0,1) -> OnlineReplica)", "Map([t,0] -> OnlinePartition)"],
    "topics": ["", "a.b,c-d", "Set(a, b_c)", "HashSet()", "View(<not computed>)"],
    "topic_partitions": ["", "[t,0],[t-1,1]", "Set(t-0, t-1)", "ArrayBuffer()", "Stream(t-0)"],
    "partition_replicas": ["", "[Topic=t,Partition=0,Replica=1],[Topic=t,Partition=1,Replica=1]"],
    "diff": ["", "isr: [1, 2] -> [2], leader: 1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING"],
    "change_info": ["isr: [] -> [1], replicaSet: [1] -> [1], partitionEpoch: 1 -> 2, leaderEpoch: 0 -> 0"],
    "new_isr_with_epochs": ["[]", "[1, 2]", "[BrokerState(brokerId=1, brokerEpoch=-1)]"],
    "under_min_isr": ["", "(under-min-isr)"],
    "snapshot_name": ["00000000000000000042-0000000003", "snapshot 00000000000000000042-0000000003"],
    "metadata_version": ["3.3-IV3", "0.8.0", "4.3-IV0", "7"],
}
NOT_SAID = {
    "from_partition_state": ["OnlinePartition to", "OnlineReplica", "online", ""],
    "to_replica_state": ["NewPartition", "OnlineReplica state"],
    "topic_id": ["short", f"Some({ID}", f"{ID}x"],
    "leader_isr_and_controller_epoch": [
        "(Leader:1)",
        "(Leader:1,ISR:1,LeaderEpoch:0,ControllerEpoch:5) with x",
    ],
    "leader_and_isr": ["LeaderAndIsr(leader=1) to broker 2: x"],
    "partition_state": ["PartitionState(leader=1) to broker\n2", "free text"],
    "leader_node": ["2 since", ""],
    "initial_state": ["Map(t-0 -> OnlinePartition", 'Map("x")'],
    "topics": ["a; b", "a\nb"],
    "error": ["it broke", ""],
    "election_type": ["AUTOMATIC"],
    "under_min_isr": ["under"],
    "zk_path": ["brokers/ids", "/a b"],
}

# Logger, line as a release prints it, event, and what the columns say. Each was no line of the tables once.
Q = "[QuorumController id=1] "
LINES = [
    ("ScramControlManager", Q + "Replayed UserScramCredentialRecord creating new entry for al ice with mechanism "
     "SCRAM_SHA_256.", "scram_credential_replayed", {}),
    ("AclControlManager", f"{Q}Replayed AccessControlEntryRecord for {ID}, setting StandardAcl(resourceType=TOPIC, "
     "resourceName=*, permissionType=ALLOW)", "acl_replayed", {}),
    ("ClientQuotaControlManager", Q + "Replayed ClientQuotaRecord for ClientQuotaEntity(entries={user=a}) setting "
     "producer_byte_rate to 1048576.0.", "client_quota_replayed", {}),
    ("DelegationTokenControlManager", Q + "Replayed DelegationTokenRecord for abc.", "delegation_token_replayed", {}),
    ("ControllerPurgatory", Q + "failAll(NotControllerException): failing createTopics(123).", "controller_queue",
     {"exception_class": "NotControllerException"}),
    ("FeatureControlManager", Q + "Invalid metadata.version 99. Valid versions are only 1 to 20", "feature_update_refused",
     {"reason": "Valid versions are only 1 to 20"}),
    ("ConfigurationControlManager", Q + "Removing broker-level min.insync.replicas for brokers: 1, 2.",
     "elr_min_isr_set", {}),
    ("PartitionChangeBuilder", f"Setting new leader for topicId {ID}, partition 0 to 2 using an unclean election",
     "elect_unclean", {"partition": 0}),
    ("QuorumController", "[Controller 3] Processed createTopics(99) in 120 us", "controller_queue",
     {"controller_id": 3}),
    ("QuorumController", Q + "alterPartition: event failed with NotLeaderException (treated as NotControllerException) "
     "at epoch 4 in 51 microseconds. Renouncing leadership and reverting to the last committed offset 9. "
     "Exception message: gone.", "controller_event_failed",
     {"exception_class": "NotLeaderException", "exception_message": "gone."}),
    ("QuorumController", Q + "createTopics: event unable to start processing because of X (treated as Y). "
     "Exception message: a. Exception message: b", "controller_event_failed",
     {"exception_message": "a. Exception message: b"}),
]  # fmt: skip


def order(release: str, *, last: bool = False) -> tuple[int, ...]:
    """`3.9` is the first, or the last, release of 3.9; `current` follows all."""
    if release == "current":
        return (99,)
    numbers = tuple(int(n) for n in release.split("."))
    minor = 3 if numbers[0] == 0 else 2
    return numbers if len(numbers) > minor else (*numbers, 99 if last else 0)


def found(logger: str, line: str) -> tuple[str | None, dict[str, object]]:
    """The event and the columns that the line fills."""
    matches = template_matcher().match(pa.array([logger]), pa.array([line]))
    number = int(matches.template[0])
    columns = {name: column.to_pylist()[0] for name, column in matches.columns.items()}
    return (template_matcher().templates[number].name if number >= 0 else None), columns


def test_levels_and_releases_are_of_closed_forms() -> None:
    for row in template_rows():
        assert set(row["level"].split("|")) <= set(LEVELS), row
        assert RELEASE.fullmatch(row["since"]), row
        assert row["until"] == "current" or RELEASE.fullmatch(row["until"]), row
        assert order(row["since"]) <= order(row["until"], last=True), row


def test_no_row_is_older_or_newer_than_its_ident() -> None:
    wrong = [
        row
        for row in template_rows()
        for pattern, since, until in IDENTS
        if re.match(pattern, row["template"])
        and not order(since)
        <= order(row["since"])
        <= order(row["until"], last=True)
        <= order(until, last=True)
    ]
    assert not wrong, wrong[:3]


def test_every_row_says_something_of_its_own() -> None:
    """A row of fields only would understand every line of its logger."""
    bare = [
        row["template"]
        for row in template_rows()
        if len(re.sub("[^A-Za-z]", "", PLACE.sub("", IDENT.sub("", row["template"])))) < len("Error")
    ]
    assert not bare


def test_what_the_literal_says_is_of_a_field_that_the_row_has_no_place_for() -> None:
    said = [row for row in template_rows() if row["says"]]
    assert len(said) == 7
    for row in said:
        for name, value in (pair.split("=") for pair in row["says"].split(" ")):
            assert name not in PLACE.findall(row["template"])
            assert field_kinds()[name].column
            assert re.fullmatch(field_kinds()[name].pattern, value), row


def test_only_named_fields_are_free_text() -> None:
    assert {kind.name for kind in field_kinds().values() if kind.pattern == ".*?"} == set(FREE_TEXT.split())


def fits(name: str, text: str) -> bool:
    return bool(re.fullmatch(f"(?s:{field_kinds()[name].pattern})", text))


def test_fields_fit_what_kafka_prints() -> None:
    assert not [(name, text) for name, some in SAID.items() for text in some if not fits(name, text)]


def test_fields_fit_nothing_else() -> None:
    assert not [(name, text) for name, some in NOT_SAID.items() for text in some if fits(name, text)]


@pytest.mark.parametrize(("cls", "line", "event", "columns"), LINES)
def test_lines_of_the_sources_are_understood(
    cls: str, line: str, event: str, columns: dict[str, object]
) -> None:
    name, said = found(OC + cls, line)
    assert (name, {column: said[column] for column in columns}) == (event, columns)


def test_snapshots_of_two_idents_and_waits_of_the_migration_are_understood() -> None:
    wrote = "Creating new KRaft snapshot file snapshot 00000000000000000042-0000000003 because x."
    generator = "org.apache.kafka.image.publisher.SnapshotGenerator"
    assert (
        found(generator, f"[SnapshotGenerator 7] {wrote}")[0]
        == found(generator, f"[SnapshotGenerator id=7] {wrote}")[0]
    )
    waits = "[KRaftMigrationDriver id=7] Waiting for the metadata layer to commit migration record batch"
    assert found(OM + "KRaftMigrationDriver", waits)[0] == "migration_wait"


def test_a_registration_ends_at_its_own_bracket() -> None:
    registration = (
        f"ControllerRegistration(id=1, incarnationId={ID}, listeners=[Endpoint(host='127.0.0.1', port=9)])"
    )
    line = f"{Q}Replayed RegisterControllerRecord containing {registration}. Previous incarnation was {ID}"
    matches = template_matcher().match(pa.array([OC + "ClusterControlManager"]), pa.array([line]))
    fields = dict(matches.fields.to_pylist()[0])
    assert fields == {
        "new_registration": registration,
        "previous_incarnation_clause": f" Previous incarnation was {ID}",
    }


@pytest.mark.parametrize("cls", ["ConfigurationControlManager", "FeatureControlManager", "QuorumController"])
def test_another_text_under_a_known_logger_is_not_understood(cls: str) -> None:
    line = pa.array([Q + "A line that no release prints."])
    assert template_matcher().match(pa.array([OC + cls]), line).template.tolist() == [NO_TEMPLATE]


def test_what_the_literal_text_says_becomes_columns() -> None:
    texts = [
        "Controller 1 epoch 2 changed state of replica 3 for partition [t,0] to OnlineReplica",
        "Controller 1 epoch 2 changed partition [t,0] state from NotExists to New with assigned replicas 3,1",
    ]
    columns = template_matcher().match(pa.array(["state.change.logger"] * 2), pa.array(texts)).columns
    assert columns["from_state"].to_pylist() == [None, "NonExistentPartition"]
    assert columns["to_state"].to_pylist() == ["OnlineReplica", "NewPartition"]
