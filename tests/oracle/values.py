"""Values of fields as Kafka prints them, the hard ones first, and others that a field's pattern admits."""

import re
from functools import cache

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.oracle.rows import FLAGS, fields

FREE = re.compile(r"\.\*\??")
CLAUSE_NAMES = ("_clause", "_suffix")
Text = st.SearchStrategy[str]

TOPICS = (
    "orders", "a", "-", ".", "0", "t-0", "t-1-2.b", "x--1", "-1", "a.b_c-", "audit-2024.eu_west-1",
    "__consumer_offsets", "__transaction_state", "partition", "null", "None", "t" * 249, "9-" * 124,
)  # fmt: skip
NUMBERS = ("0", "1", "-1", "-2", "7", "1001", "2147483647", "-2147483648")
TOO_LARGE = ("2147483648", "-999999999999999999", "9223372036854775807")  # for an int, not for a long
RATIOS = ("0.25", "0,250000", "0.3333333333333333", "9.5E-4", "0.0", "1", "NaN")
FIGURES = (*NUMBERS, *TOO_LARGE, *RATIOS)  # where Kafka prints one alone the field is no free text
COLLECTIONS = (
    "List", "Set", "Vector", "Buffer", "ArrayBuffer", "ListBuffer", "HashSet", "ListSet", "TreeSet", "ArraySeq",
    "WrappedArray", "Stream", "Queue", "Iterable",
)  # fmt: skip
IDS = ((), (1,), (3, 1, 2), (-1,), (2147483647, 0), tuple(range(1000)))
WORDS = (
    "OnlinePartition", "NewPartition", "ReplicaDeletionIneligible", "OnlineReplica", "become-leader", "PREFERRED",
    "AutoTriggered", "NONE", "UNKNOWN_TOPIC_OR_PARTITION", "LEADER_AND_ISR", "LeaderAndIsr", "java.io.IOException",
    "kafka.common.StateChangeFailedException", "org.apache.kafka.common.errors.NotControllerException",
    "kafka.controller.KafkaController$$anonfun$1", "true", "false", "snapshot", "delta", "clean", "unclean",
)  # fmt: skip
TOPIC_IDS = ("VbZ0LxJ4TD6Y2m4hYvJ3Ow", "Vb-0LxJ4TD6Y2m4hYvJ3_w", "AAAAAAAAAAAAAAAAAAAAAA")
CLAUSES = (
    "", " at epoch 7", " (treated as UnknownServerException)", "(under-min-isr)", "1 : (x) : null",
    "2 : (EndPoint(kafka2,9092,ListenerName(PLAINTEXT),PLAINTEXT)) : null : Features{}",
    "3 : (EndPoint(k,1,ListenerName(A),SSL),EndPoint(k,2,ListenerName(B),SASL_SSL)) : r1 : Features{(k -> v)}",
)  # fmt: skip
FREE_CLAUSES = ("", ", renouncing leadership", " ZK migration mode is enabled")
OPEN = (
    "Some(1)", "Some(VbZ0LxJ4TD6Y2m4hYvJ3Ow)", "id:2,host:kafka2,port:9092", "Node(2, kafka2, 9092)",
    "kafka2:9092 (id: 2 rack: null)", "BrokerEndPoint(id=2, host=kafka2:9092)", "(none)", "Map()", "[]", "{}",
    "Map(t-0 -> Vector(1, 2), t-1-1 -> List())", "[Topic=t-0,Partition=0,Replica=1],[Topic=t,Partition=1,Replica=-1]",
    '{"version":1,"brokerid":1,"timestamp":"1"}', "LeaderAndIsrResponse(7,Map((orders,0) -> 0),0)",
    "{error_code=0,partitions=[{topic=orders,partition=0,error_code=0}]}", "a@1b2c3d4", "/var/kafka logs/t-0",
    "ReplicaAssignment(replicas=3,1,2, addingReplicas=3, removingReplicas=2)",
    "Set(TopicIdReplicaAssignment(t,Some(VbZ0LxJ4TD6Y2m4hYvJ3Ow),Map(t-0 -> ReplicaAssignment(replicas=))))",
    "BrokerChange(List(1, 3))", "The reason is (deep): \\d+ [x] {y} $z ^ | 100% sure?", "über € 😀", "x" * 9_000,
)  # fmt: skip


def collections(of: tuple[str, ...], blank: str) -> list[str]:
    """One form of a collection of numbers a name, bare (mkString), and as Java prints it."""
    texts = [blank.join(map(str, ids)) for ids in IDS]
    return [f"{name}({text})" for name in of for text in texts] + [f"[{text}]" for text in texts] + texts


HARD = tuple(
    dict.fromkeys(
        (
            *TOPICS, *FIGURES, *collections(COLLECTIONS[:2], ","), *collections(COLLECTIONS, ", "), *WORDS,
            *TOPIC_IDS, *(f"Some({one})" for one in TOPIC_IDS), *CLAUSES, *OPEN,
        )
    )
)  # fmt: skip


@cache
def hard(name: str) -> tuple[str, ...]:
    """What a field's pattern admits of the hard values; where it admits none, values made from the pattern."""
    pattern = fields()[name]["pattern"]
    if is_free(name) and name.endswith(CLAUSE_NAMES):
        return FREE_CLAUSES
    return admitted_of_hard(pattern, is_int=fields()[name]["type"] == "int") or MADE[pattern]


@cache
def admitted_of_hard(pattern: str, *, is_int: bool) -> tuple[str, ...]:
    left_out = FIGURES if FREE.fullmatch(pattern) else TOO_LARGE if is_int else ()
    admits = re.compile(pattern, FLAGS).fullmatch
    return tuple(one for one in HARD if admits(one) and one not in left_out)


def made() -> dict[str, tuple[str, ...]]:
    """Some values of each pattern that admits no hard value, the same ones in every run."""
    patterns = sorted({row["pattern"] for row in fields().values()})
    bare = [pattern for pattern in patterns if not admitted_of_hard(pattern, is_int=False)]
    found: list[dict[str, list[str]]] = []

    @settings(max_examples=4, derandomize=True, database=None, phases=[Phase.generate], deadline=None)
    @given(
        st.fixed_dictionaries(
            {pattern: st.lists(admitted(pattern), min_size=3, max_size=3) for pattern in bare}
        )
    )
    def collect(values: dict[str, list[str]]) -> None:
        found.append(values)

    collect()
    return {pattern: tuple(one for values in found for one in values[pattern]) for pattern in bare}


def is_free(name: str) -> bool:
    """Whether the field is any text: only Kafka's code says what stands there."""
    return FREE.fullmatch(fields()[name]["pattern"]) is not None


def admitted(pattern: str) -> Text:
    """Texts that a pattern admits, hard to read ones included; no line ends."""
    letters = st.characters(codec="utf-8", exclude_characters="\r\n")
    return st.from_regex(re.compile(pattern, FLAGS), fullmatch=True, alphabet=letters)


MADE = made()  # on import: a test of hypothesis cannot run another one
