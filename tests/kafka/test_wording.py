"""Every row of the template tables: rendered with values of its fields, and read back."""

import re

import pyarrow as pa
import pytest

from pipeline.core.columns import Matches
from pipeline.core.template import Template, quote
from pipeline.core.values import typed
from pipeline.kafka.wording import COLUMN_TYPES, field_kinds, matcher, table, template_rows

# Three values a type; the n-th instance of a row uses the n-th. Named fields first: what Kafka really prints.
VALUES = {
    "from_state": ("OnlinePartition", "NewReplica", "NonExistentPartition"),
    "to_state": ("OfflinePartition", "OnlineReplica", "ReplicaDeletionIneligible"),
    "topic": ("orders", "audit-2024.eu_west-1", "a"),
    "partition": ("0", "12", "2147483647"),
    "old_broker": ("1 : (x) : null", "2 : (x) : null : Features{(k -> v)}", "3 : () : a"),
    "new_broker": ("1 : (x) : null", "2 : (x) : null : Features{(k -> v)}", "3 : () : a"),
    "treated_as_clause": ("", " (treated as UnknownServerException)", ""),
    "at_epoch_clause": (" at epoch 7", "", " at epoch 8"),
    "topic_id": ("VbZ0LxJ4TD6Y2m4hYvJ3Ow", "Some(Vb-0LxJ4TD6Y2m4hYvJ3_w)", "None"),
    "exception_class": ("java.io.IOException", "kafka.common.StateChangeFailedException", "NotLeader"),
    "error_class": ("java.io.IOException", "NotControllerException", "TimeoutException"),
    "metadata_type": ("snapshot", "delta", "snapshot"),
    "is_new": ("true", "false", "true"),
    "under_min_isr": ("", "(under-min-isr)", ""),
}
BY_TYPE = {
    "int": ("0", "-1", "1073741825"),
    "long": ("0", "-1", "9007199254740993"),
    "double": ("0.25", "0,250000", "9.5E-4"),
    "boolean": ("true", "false", "true"),
    "int_list": ("3,1,2", "", "List(2, 10)"),
    "string": ("", "x", "Map(k -> v#7)"),
}
WORD = ("become-leader", "x", "NONE")


def value(name: str, turn: int) -> str:
    kind = field_kinds()[name]
    if name in VALUES:
        return VALUES[name][turn]
    if kind.type == "string" and not re.fullmatch(kind.pattern, BY_TYPE["string"][2]):
        return WORD[turn]
    if kind.type == "string" and not re.fullmatch(kind.pattern, ""):
        return BY_TYPE["string"][turn] or "y"
    return BY_TYPE[kind.type][turn]


@pytest.fixture(scope="module", params=[0, 1, 2])
def read_back(request: pytest.FixtureRequest) -> tuple[int, Matches]:
    templates = matcher().templates
    turn: int = request.param
    texts = [rendered(t, turn) for t in templates]
    return turn, matcher().match(pa.array([t.source for t in templates]), pa.array(texts))


def rendered(template: Template, turn: int) -> str:
    return template.render({name: value(name, turn) for name in template.fields})


def test_every_row_is_read_back_as_itself(read_back: tuple[int, Matches]) -> None:
    turn, matches = read_back
    templates = matcher().templates
    wrong = [
        (template.name, rendered(template, turn), templates[n].text if n >= 0 else n)
        for template, n in zip(templates, matches.template.tolist(), strict=True)
        if n < 0 or templates[n].name != template.name
    ]
    assert not wrong, f"{len(wrong)} rows, first: {wrong[:5]}"


def test_every_field_is_read_back(read_back: tuple[int, Matches]) -> None:
    turn, matches = read_back
    templates = matcher().templates
    columns = {name: column.to_pylist() for name, column in matches.columns.items()}
    maps = matches.fields.to_pylist()
    wrong = []
    for row, (template, n) in enumerate(zip(templates, matches.template.tolist(), strict=True)):
        if n < 0 or templates[n].text != template.text:
            continue
        said = dict(maps[row] or [])
        for name in template.fields:
            column = field_kinds()[name].column
            text = value(name, turn)
            if column:
                expected = typed(pa.array([text]), COLUMN_TYPES[column])[0].to_pylist()[0]
                found = columns[column][row]
            else:
                expected, found = text, said.get(name)
            if expected != found:
                wrong.append((template.text, name, expected, found))
    assert not wrong, f"{len(wrong)} fields, first: {wrong[:5]}"


def test_no_wording_stands_twice() -> None:
    seen = [(row["logger"], row["template"]) for row in template_rows()]
    assert len(seen) == len(set(seen))


def test_fields_are_declared_and_used() -> None:
    used = {name for template in matcher().templates for name in template.fields}
    assert used == set(field_kinds())
    assert {kind.column for kind in field_kinds().values()} - {""} == set(COLUMN_TYPES)
    assert {row["field"] for row in table("compounds.tsv")} <= used


def test_blanks_at_the_end_are_kept() -> None:
    assert any(row["template"].endswith(" ") for row in template_rows())


LEADER_AND_ISR = (
    "[Controller id=1 epoch=5] Changed partition t-0 from NewPartition to OnlinePartition with state "
)
RECEIVED = (
    "[Broker id=2] Received LeaderAndIsr request {} correlation id 7 from controller 1 epoch 5 "
    "for partition t-0"
)
SAME_EPOCH = (
    "[Broker id=2] Skipped the become-follower state change for t-0 with topic id "
    "Some(VbZ0LxJ4TD6Y2m4hYvJ3Ow), "
    "partition registration {} and isNew=false since it is already a follower with leader epoch 4."
)
COMPOUNDS = [
    (LEADER_AND_ISR + '{"leader":1,"leader_epoch":4,"isr":[2,1]}', (1, 4, [2, 1], None)),
    (
        LEADER_AND_ISR + "LeaderAndIsr(leader=1, leaderEpoch=4, isr=List(2, 1), zkVersion=0)",
        (1, 4, [2, 1], None),
    ),
    (LEADER_AND_ISR + "LeaderAndIsr(leader=-1, leaderEpoch=4, isr=List(), zkVersion=0)", (-1, 4, [], None)),
    (
        LEADER_AND_ISR
        + "LeaderAndIsr(leader=1, leaderEpoch=4, isrWithBrokerEpoch=List(BrokerState(brokerId=2, "
        "brokerEpoch=-1), "
        "BrokerState(brokerId=1, brokerEpoch=77)), leaderRecoveryState=RECOVERED, partitionEpoch=0)",
        (1, 4, [2, 1], None),
    ),
    (
        RECEIVED.format(
            "PartitionState(controllerEpoch=5, leader=1, leaderEpoch=4, isr=2,1, zkVersion=0, "
            "replicas=1,2, isNew=true)"
        ),
        (1, 4, [2, 1], [1, 2]),
    ),
    (
        RECEIVED.format(
            "LeaderAndIsrPartitionState(topicName='t', partitionIndex=0, controllerEpoch=5, "
            "leader=1, leaderEpoch=4, "
            "isr=[2, 1], zkVersion=0, replicas=[1, 2], addingReplicas=[], removingReplicas=[], isNew=true)"
        ),
        (1, 4, [2, 1], [1, 2]),
    ),
    (
        SAME_EPOCH.format(
            "PartitionRegistration(replicas=[1, 2], directories=[a, b], isr=[2, 1], removingReplicas=[], "
            "addingReplicas=[], elr=[], lastKnownElr=[], leader=1, leaderRecoveryState=RECOVERED, "
            "leaderEpoch=4, "
            "partitionEpoch=5)"
        ),
        (1, 4, [2, 1], [1, 2]),
    ),
    (
        "Broker 2 received LeaderAndIsr request "
        "(LeaderAndIsrInfo:(Leader:1,ISR:2,1,LeaderEpoch:4,ControllerEpoch:5),"
        "ReplicationFactor:2),AllReplicas:1,2) correlation id 7 from controller 1 epoch 5 for "
        "partition [t,0]",
        (1, 4, [2, 1], [1, 2]),
    ),
    (
        "[Controller id=1 epoch=5] Partition t-0 state changed to "
        "(Leader:-1,ISR:2,LeaderRecoveryState:RECOVERED,"
        "LeaderEpoch:4,ZkVersion:7,ControllerEpoch:5) after removing replica 1 from the ISR as part "
        "of transition to "
        "OfflineReplica",
        (-1, 4, [2], None),
    ),
]


def test_compounds_fill_leader_isr_and_replicas() -> None:
    texts = [text for text, _ in COMPOUNDS]
    matches = matcher().match(pa.array(["state.change.logger"] * len(texts)), pa.array(texts))
    assert (matches.template >= 0).all(), matches.template
    names = ("leader", "leader_epoch", "isr", "replicas")
    found = list(zip(*(matches.columns[name].to_pylist() for name in names), strict=True))
    assert found == [expected for _, expected in COMPOUNDS]


def test_topic_and_partition_part_at_the_last_dash() -> None:
    text = (
        "[Controller id=1 epoch=5] Changed partition a-1-2.b-3 state from OnlinePartition to OfflinePartition"
    )
    matches = matcher().match(pa.array(["state.change.logger"]), pa.array([text]))
    assert (matches.columns["topic"].to_pylist(), matches.columns["partition"].to_pylist()) == (
        ["a-1-2.b"],
        [3],
    )


def test_quote_is_literal() -> None:
    assert re.fullmatch(quote("a.(b)[c]{d}|$^*+?\\"), "a.(b)[c]{d}|$^*+?\\")
