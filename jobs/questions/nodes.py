"""What the nodes of a cluster are: how they keep metadata, which release they run, who was in office."""

from collections.abc import Iterable, Sequence
from functools import cache, reduce
from operator import or_

import polars as pl
from polars import col

from jobs.text import epoch_text
from pipeline.core.stretch import UNDETERMINED
from pipeline.gold.controller_term.own import STARTUP
from pipeline.kafka.facts import read_fact_table
from pipeline.kafka.wording.releases import (
    NEWEST,
    all_release_bits,
    oldest_and_newest,
    release_bits,
    release_names,
)
from pipeline.kafka.wording.templates import MODES
from pipeline.model.lines.exception_causes import EXCEPTION, with_exception_causes
from pipeline.views.reading.answers import Answers
from pipeline.views.reading.rows import Row

ZOOKEEPER, KRAFT = "zookeeper", "kraft"
# Loggers that only nodes of the mode have.
ZOOKEEPER_LOGGERS = ("kafka.controller.", "kafka.server.KafkaServer", "kafka.zk.", "kafka.zookeeper.")
KRAFT_LOGGERS = (
    *("org.apache.kafka.controller.", "org.apache.kafka.raft.", "org.apache.kafka.image."),
    *("kafka.server.ControllerRegistrationManager", "ControllerRegistrationManager"),
)
# Exceptions that only nodes of the mode end with, by the begin of their class, and causes (exception_lines.tsv).
ZOOKEEPER_EXCEPTIONS = (
    *("org.I0Itec.zkclient.", "kafka.zookeeper.", "org.apache.zookeeper."),
    "kafka.common.InconsistentBrokerIdException",
)
KRAFT_EXCEPTIONS = (
    *("org.apache.kafka.raft.", "org.apache.kafka.controller."),
    "kafka.common.InconsistentNodeIdException",
)
KRAFT_CAUSES = ("cause_voters_differ", "cause_not_formatted")
# The last release before nodes of KRaft, and the first without ZooKeeper.
BEFORE_KRAFT, WITHOUT_ZOOKEEPER = "2.7", "4.0"
SINCE_KRAFT, UNTIL_ZOOKEEPER = "2.8", "3.9"
# Findings of a cluster without a controller.
WITHOUT = ("quorum_without_leader", "no_controller")
RESIGNED = ("resigning", "resigned")
# In these no line tells whether an election was unclean.
SILENT_ON_UNCLEAN = ("1.1", "2.6")


def mode_of(answers: Answers) -> str | None:
    """zookeeper or kraft, by the terms, else by lines that nodes of one mode alone print, else by what ended them, else
    by releases that have one mode."""
    modes = set(answers.rows("silver.term", None, ("mode",))["mode"].to_list())
    modes = modes or modes_of_lines(answers) or modes_of_exceptions(answers)
    modes = modes or set(map(mode_of_release, releases_of(answers)))
    return KRAFT if KRAFT in modes else ZOOKEEPER if ZOOKEEPER in modes else None


def modes_of_lines(answers: Answers) -> set[str]:
    seen = answers.rows("silver.wording_seen", None, ("logger", "template")).unique()
    loggers = seen["logger"].drop_nulls().unique()
    said = {ZOOKEEPER: ZOOKEEPER_LOGGERS, KRAFT: KRAFT_LOGGERS}
    modes = {mode for mode, own in said.items() if any(one.startswith(own) for one in loggers)}
    return modes if kraft_wordings().isdisjoint(seen.iter_rows()) else {*modes, KRAFT}


def modes_of_exceptions(answers: Answers) -> set[str]:
    """By the exceptions below lines of processes and their disks: a node may print nothing but the one it ends with."""
    failed = answers.rows("silver.node_event", None, EXCEPTION)
    if failed.is_empty():
        return set()
    classes, causes = failed["exception_class"].drop_nulls().unique(), with_exception_causes(failed)["cause"]
    said = {ZOOKEEPER: ZOOKEEPER_EXCEPTIONS, KRAFT: KRAFT_EXCEPTIONS}
    modes = {mode for mode, own in said.items() if any(one.startswith(own) for one in classes)}
    return {*modes, KRAFT} if causes.is_in(KRAFT_CAUSES).any() else modes


@cache
def kraft_wordings() -> frozenset[tuple[str, str]]:
    """(logger, template) of which nodes of KRaft alone write lines."""
    printed = {
        mode: {(row["logger"], row["template"]) for row in read_fact_table(f"wording/by_mode/{mode}.tsv")}
        for mode in MODES
    }
    others = (printed[mode] for mode in MODES if mode != KRAFT)
    return frozenset(printed[KRAFT].difference(*others))


def mode_of_release(releases: int) -> str | None:
    """Of a node that runs one of them, as bits; None where they have both modes."""
    if not releases & ~release_bits(release_names()[0], BEFORE_KRAFT):
        return ZOOKEEPER
    return None if releases & ~release_bits(WITHOUT_ZOOKEEPER, NEWEST) else KRAFT


def releases_of(answers: Answers) -> list[int]:
    """The releases that the nodes may run at the end of the data, as bits: one set that explains the lines of all, else
    one for each set of nodes that no release explains together."""
    last = read_release_spans(answers).unique("node_id", keep="last", maintain_order=True)
    return shared_releases(map(bits_of, last["releases"]))


def releases_before(answers: Answers) -> list[int]:
    """The same of the stretches before the last of each node: those of none that is told of the end."""
    at_end = reduce(or_, releases_of(answers), 0)
    told = read_release_spans(answers).filter(col("certainty") != UNDETERMINED)
    return (
        shared_releases(one for one in map(bits_of, told["releases"]) if not one & at_end) if at_end else []
    )


def read_release_spans(answers: Answers) -> pl.DataFrame:
    names_read = ("node_id", "valid_from_at", "releases", "certainty")
    return answers.rows("silver.release_span", None, names_read).sort("valid_from_at")


def bits_of(some: Iterable[str]) -> int:
    return reduce(or_, (1 << release_names().index(one) for one in some), 0)


def shared_releases(sets: Iterable[int]) -> list[int]:
    """Sets of releases, as bits, each cut to what the next ones leave of it; one more for each that leaves nothing."""
    found: list[int] = []
    for own in sets:
        place = next((place for place, one in enumerate(found) if one & own), None)
        if place is None:
            found.append(own)
        else:
            found[place] &= own
    return sorted(one for one in found if one not in {0, all_release_bits()})


def release_text(releases: list[int], before: list[int] | None = None, mode: str | None = None) -> str:
    """3.9.0 to 3.9.2; from 4.2.0; 3.8.1 and 3.9.0; 4.3.1 (3.9.2 before). Empty if no line tells releases apart. mode:
    what the nodes run at the end has it."""
    earlier = f" ({release_text(before)} before)" if before else ""
    first, last = {KRAFT: (SINCE_KRAFT, NEWEST), ZOOKEEPER: (release_names()[0], UNTIL_ZOOKEEPER)}.get(
        mode or "", (release_names()[0], NEWEST)
    )
    return " and ".join(range_text(one & release_bits(first, last) or one) for one in releases) + earlier


def range_text(releases: int) -> str:
    since, until = oldest_and_newest(releases)
    if until is None:
        return f"from {since}"
    return (
        f"up to {until}"
        if since == release_names()[0]
        else str(since)
        if since == until
        else f"{since} to {until}"
    )


def may_be_silent(releases: list[int]) -> bool:
    """True if a node may run a release in which no line tells whether an election was unclean."""
    return not releases or any(one & release_bits(*SILENT_ON_UNCLEAN) for one in releases)


def last_active_controller(answers: Answers) -> int | None:
    """The last of offices."""
    found = controllers_without_term(answers)
    return found[-1]["controller_id"] if found else None


def controllers_without_term(answers: Answers) -> list[Row]:
    """Where no term is known: (controller_id, from_at, until_at) of the controllers that took over, or printed ratios
    of leader imbalance, which only one in office does; of each what it said last, and none of those that resigned
    then."""
    if answers.rows("silver.term", None, ("mode",)).height:
        return []
    steps = answers.rows("silver.controller_step", None, ("controller_id", "logged_at", "step"))
    ratios = answers.rows("silver.imbalance_observation", None, ("controller_id", "checked_at"))
    acts = pl.concat(
        [
            steps.filter(col("step").is_in(STARTUP)).drop("step"),
            ratios.select("controller_id", logged_at="checked_at"),
        ]
    ).drop_nulls()
    resigned = steps.filter(col("step").is_in(RESIGNED)).group_by("controller_id").agg(over_at="logged_at")
    is_over = (col("over_at").list.max() >= col("until_at")).fill_null(value=False)
    return (
        acts.group_by("controller_id")
        .agg(from_at=col("logged_at").min(), until_at=col("logged_at").max())
        .join(resigned, on="controller_id", how="left")
        .filter(~is_over)
        .sort("until_at", "controller_id")
        .select("controller_id", "from_at", "until_at")
        .to_dicts()
    )


def last_controller_text(terms: Sequence[Row], findings: Sequence[Row], office_id: int | None) -> str:
    """Who is controller at the end of the data: 2 (epoch 8); none where the last one has ended, or a finding says that
    there still is none. office_id: who is in_office."""
    last = terms[-1] if terms else None
    named = f"{last['controller_id']} ({epoch_text(last['controller_epoch'])})" if last else ""
    has_ended = bool(last and last["ended_at"] and not last["superseded_at"])
    if has_ended or any(one["rule"] in WITHOUT and one["valid_until_at"] is None for one in findings):
        return f"none, the last one was {named}" if named else "none"
    unelected = "not known" if office_id is None else f"{office_id} (epoch not told)"
    return named or unelected
