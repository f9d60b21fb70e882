"""`incident --follow`: reads on as the logs grow and roll, says what changes, and ends with the whole screen."""

import json
import math
import signal
import sys
import time
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from threading import Event
from types import FrameType

from jobs.engine.run.outcome import problem_text
from jobs.engine.run.request import RunRequest
from jobs.incident.clusters import JOB, Clusters, IncidentOptions
from jobs.incident.following.arguments import FollowOptions
from jobs.incident.following.clusters import HeldClusters
from jobs.incident.following.told import ClusterNews, Line, news_text
from jobs.incident.in_memory import AnalyzedLogs
from jobs.incident.progress import ProgressLine
from jobs.incident.size import require_planned
from jobs.questions.findings_out import iso_or_value
from jobs.screen.facts import Facts, gather_facts
from jobs.terminal import print_lines
from jobs.text import clock_text, human_bytes
from pipeline.core.errors import PipelineError
from pipeline.views.reading.answers import Answers

# A last record that is younger may still grow: a trace is printed line by line.
QUIET_SECONDS = 2
MOST_WAIT_SECONDS = 0.2  # how late the end of a stream is noticed


@dataclass
class Followed:
    """One cluster: what was told of it, and the facts of the newest answer, which is `answer`."""

    news: ClusterNews
    answer: AnalyzedLogs | None = None
    facts: Facts | None = None
    told_from_at: datetime | None = None


@dataclass
class Follower:
    """held: with the settings of the end, when all is read that is there. problems: what was said of them."""

    asked: IncidentOptions
    options: FollowOptions
    held: HeldClusters
    progress: ProgressLine
    clusters: dict[str, Followed] = field(default_factory=dict)
    problems: set[str] = field(default_factory=set)
    stop: Event = field(default_factory=Event)

    def run(self) -> int:
        """Until SIGINT, or the end of stdin where nothing else is followed; the exit code is that of the last answer. A
        second SIGINT interrupts."""
        self.progress.due = math.inf  # lines tell what happens, no steps
        before = signal.signal(signal.SIGINT, self.end_on_signal)
        try:
            paths, window = ", ".join(self.held.logs.paths), human_bytes(self.options.window_bytes)
            self.say(f"follows {paths}; holds the newest {window} of a cluster's logs; Ctrl-C ends it")
            while not self.stop.is_set():
                begun = time.monotonic()
                is_last = self.held.logs.has_ended()
                self.look()
                if is_last:
                    break
                self.wait(max(self.options.every, time.monotonic() - begun))
            self.progress.clear()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            return self.tell_whole()
        finally:
            signal.signal(signal.SIGINT, before)

    def end_on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if self.stop.is_set():
            raise KeyboardInterrupt
        self.stop.set()

    def wait(self, seconds: float) -> None:
        """A machine that needs long for an answer has as long for others."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self.held.logs.has_ended():
            if self.stop.wait(min(left, MOST_WAIT_SECONDS)):
                return

    def look(self) -> None:
        growing = self.held.settings.model_copy(update={"quiet_seconds": QUIET_SECONDS})
        try:
            found = self.held.found()
        except PipelineError as problem:
            self.say_problem(problem)
            return
        for cluster_id, candidates in found.items():
            self.progress.label = f"{cluster_id} " if len(found) > 1 else ""
            request = self.held.request(cluster_id, candidates, growing)
            try:
                self.look_at(request)
            except PipelineError as problem:
                self.say_problem(problem)

    def look_at(self, request: RunRequest) -> None:
        cluster_id, settings = request.cluster_id, self.held.settings
        answer = self.held.look(request, self.progress, partial(require_planned, settings))
        if cluster_id not in self.clusters:
            self.clusters[cluster_id] = Followed(ClusterNews(cluster_id, self.options.settle))
        one, from_at = self.clusters[cluster_id], self.held.held[cluster_id].from_at
        if one.facts is None or answer is not one.answer:
            one.answer = answer
            one.facts = gather_facts(Answers(cluster_id, answer.tables), answer.result.watermarks, 0)
            one.news.take(one.facts, from_at)
        self.progress.clear()
        if from_at is not None and one.told_from_at is None:
            self.say(f"records before {clock_text(from_at)} UTC are held no more, nor what they tell")
        one.told_from_at = from_at
        unread = len(answer.result.unread)
        self.tell_state(one.facts)
        for line in one.news.lines(one.facts, time.monotonic(), unread, from_at):
            self.tell(line, cluster_id, one.facts)

    def tell_state(self, facts: Facts) -> None:
        """Where it stands, on a terminal, until the next look."""
        last = facts.read["last_at"]
        if self.progress.is_terminal and last is not None:
            self.progress.stage("follows", f"data to {clock_text(last)} UTC, {len(facts.findings)} findings")

    def tell(self, line: Line, cluster_id: str, facts: Facts) -> None:
        if self.asked.format != "text":
            row = {"cluster_id": cluster_id} | {name: iso_or_value(value) for name, value in line.items()}
            self.progress.clear()
            print(json.dumps(row), flush=True)
            return
        label = f"{cluster_id} " if len(self.clusters) > 1 else ""
        self.progress.clear()
        print_lines(news_text(line, facts.read["last_at"], label))

    def say(self, sentence: str) -> None:
        self.progress.clear()
        print(f"{JOB}: {sentence}", file=sys.stderr, flush=True)

    def say_problem(self, problem: PipelineError) -> None:
        """Once; it may be over at the next look."""
        sentence = problem_text(JOB, problem)
        if sentence not in self.problems:
            self.problems.add(sentence)
            self.progress.clear()
            print(f"{sentence}; followed on", file=sys.stderr, flush=True)

    def tell_whole(self) -> int:
        """What `incident` tells of what is held and has come since."""
        self.progress.label = ""
        held, found = self.held, self.held.found()
        metadata = held.metadata if self.options.is_metadata_read else {}
        told = Clusters(
            self.asked, held.settings, held.logs.paths, self.progress, metadata, analyze=held.look
        )
        return told.run(found)
