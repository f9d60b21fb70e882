"""Answers to questions by name, asked of a lab cluster at many times, against what its truth says."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from jobs.questions.given_names import TopicPartition
from jobs.questions.named.happened import About, what_happened
from jobs.questions.named.partitions import why_leaderless
from pipeline.core.errors import InputProblem
from pipeline.views.reading.answers import Answers
from tests.gold import kraft_outage_truth, outage_truth
from tests.gold.kraft_truth import true_states
from tests.gold.lab_runs import changes
from tests.gold.outage_truth import Outage
from tests.gold.truth import Partition, ms
from tests.jobs.change_truth import EARLY_MS, LATE_MS, Asked, asked_of, is_in_one_step, moved_at
from tests.jobs.cluster_scores import Compared
from tests.lab import json_lines

NEAR_MS = 1_000  # a broker of KRaft prints what it was told up to so much later
Stops = dict[int, list[tuple[int, bool]]]
Leaders = dict[Partition, list[tuple[int, int]]]


def of_why_leaderless(of: Compared) -> tuple[Counter[str], Counter[str]]:
    """Within outages, and amid the time between them: right, not told, wrong. Within it is right where the broker that
    led is named, or none where none did, and where a shutdown is told of those alone that were asked to shut down."""
    outages, leaders, asked = true_outages(of.folder, of.answers), leaders_of(of.folder), stops(of.folder)
    within = Counter(judged(of.answers, one, leaders, asked) for one in outages if not one.is_unseen)
    between = Counter(
        asked_between(of.answers, partition, at_ms) for partition, at_ms in served(outages, of.answers)
    )
    return within, between


# How the timeline tells what was asked for: one of these, with the subject.
TOLD_AS = {
    "create_topic": ("topic {} was created", "topic .* was created.* more of the kind .*{}"),
    "delete_topic": (
        "topic {} was asked to be deleted",
        "topic {} was gone: deleted",
        "deletion of topic {},",
    ),
    "delete_topic_znode": ("topic {} was removed from ZooKeeper", "topic {} was gone"),
    "add_partitions": ("topic {} was given partitions",),
    "reassign": ("{}: reassignment", "reassignment of .*{}"),
    "cancel_reassign": ("{}: reassignment", "reassignment of .*{}"),
    "preferred_election": ("preferred",),
    "unclean_election": ("unclean",),
    "controlled_shutdown": ("broker {} asked to be shut down",),
    "bump_version": ("/controller_epoch was rewritten",),
    "delete_controller": ("term of broker .* ended: znode gone",),
    "alter_configs": ("settings of .*{}",),
    "unregister_broker": ("broker {} was unregistered",),
    "wipe": ("the metadata began anew",),
}


def of_what_happened(of: Compared) -> tuple[int, list[str]]:
    """How many requests of the truth are told within some seconds of them, and which are not."""
    moved = moved_at(of.folder) if "-kraft-" in of.folder.name else None
    asked = [
        one for one in asked_of(of.folder) if one.what in TOLD_AS
    ]  # settings are in server.log, which is not read
    done = [one for one in asked if one.is_done and not is_in_one_step(one, moved)]
    missing = [one.what for one in done if not is_told(of.answers, one)]
    return len(done) - len(missing), missing


def is_told(answers: Answers, one: Asked) -> bool:
    begin, end = one.at_ms - EARLY_MS, one.until_ms + LATE_MS
    around = timedelta(milliseconds=(end - begin) / 2)
    found = what_happened(answers, moment((begin + end) // 2), around, About())
    wanted = [words.format(re.escape(name)) for words in TOLD_AS[one.what] for name in one.subjects or {""}]
    return any(re.search(words, told.text) for words in wanted for told in found.told)


def true_outages(cluster: Path, answers: Answers) -> list[Outage]:
    if not (cluster / "truth" / "metadata-log.jsonl").exists():
        return outage_truth.outages(cluster)
    told = outage_truth.told_outages(answers.rows("gold.partition_outage").to_dicts())
    return kraft_outage_truth.outages(cluster, told)


def judged(answers: Answers, one: Outage, leaders: Leaders, stopped: Stops) -> str:
    until_ms = one.until_ms or end_ms(answers)
    found = why_leaderless(answers, TopicPartition(*one.partition), moment((one.from_ms + until_ms) // 2))
    if not found.told or found.sentence.startswith("Not enough evidence"):
        return "not told"
    led = [leader for at_ms, leader in leaders[one.partition] if at_ms <= one.from_ms and leader >= 0]
    cause = found.sentence.rpartition("): ")[2]
    if one.is_unborn or not led:
        return "wrong" if "broker" in cause else "right"
    asked = [is_asked for at_ms, is_asked in stopped[led[-1]] if at_ms <= one.from_ms]
    is_told = "controlled shutdown of" in cause or "its end: shutdown" in cause
    is_right = f"broker {led[-1]}" in cause and not (is_told and asked and not asked[-1])
    return "right" if is_right else "wrong"


def asked_between(answers: Answers, partition: Partition, at_ms: int) -> str:
    try:
        found = why_leaderless(answers, TopicPartition(*partition), moment(at_ms))
    except InputProblem:
        return "not told"
    if found.sentence.startswith("Not enough evidence") or found.not_known:
        return "not told"
    return "wrong" if found.told else "right"


def served(outages: list[Outage], answers: Answers) -> Iterator[tuple[Partition, int]]:
    """The middle of the time before each outage of a partition, from the one before on, and of the time behind all."""
    last_ms, first_ms = end_ms(answers), ms(answers.read()["first_at"])
    by_partition: dict[Partition, list[Outage]] = defaultdict(list)
    for one in outages:
        by_partition[one.partition].append(one)
    for partition, own in by_partition.items():
        ends = [first_ms, *(one.until_ms or last_ms for one in own)]
        begins = [*(one.earliest_ms for one in own), last_ms]
        for since, until in zip(ends, begins, strict=True):
            if until - since > 2 * NEAR_MS:
                yield partition, (since + until) // 2


def stops(cluster: Path) -> Stops:
    """By node when it was killed, frozen or asked to shut down (true)."""
    found: Stops = defaultdict(list)
    for act in json_lines(cluster / "truth" / "actions.jsonl"):
        args = act.get("args", act)
        is_asked = act["kind"] == "controlled_shutdown" or args.get("signal") == "SIGTERM"
        if is_asked or act["kind"] == "sigstop" or args.get("signal") in ("SIGKILL", "SIGSTOP"):
            found[args.get("node", args.get("broker"))].append((act["start_ms"], is_asked))
    return found


def leaders_of(cluster: Path) -> Leaders:
    """By partition each leader that it was given, with the time."""
    found: Leaders = defaultdict(list)
    if (cluster / "truth" / "metadata-log.jsonl").exists():
        for partition, states in true_states(cluster).items():
            found[partition] = [(one.at, one.leader) for one in states if one.leader is not None]
        return found
    for change in changes(cluster):
        match change["path"].split("/")[1:]:
            case ["brokers", "topics", topic, "partitions", number, "state"] if change["op"] != "delete":
                found[topic, int(number)].append((change["time_ms"], change["data"]["leader"]))
    return found


def end_ms(answers: Answers) -> int:
    return ms(answers.read()["last_at"])


def moment(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)
