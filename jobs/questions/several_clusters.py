"""One question asked of every cluster of a warehouse that is not told which: each under its own name."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from jobs.layout import wrap_text
from pipeline.core.errors import InputProblem, PipelineError, WarehouseDamaged
from pipeline.views.reading.answers import Answers

NAMED = 5  # clusters of which it is said why they have no answer
ClusterQuestion = Callable[[Answers], list[str]]


@dataclass
class ClusterAnswers:
    """lines: the answer of each cluster that has one; problems: why the others have none."""

    lines: dict[str, list[str]] = field(default_factory=dict)
    problems: dict[str, PipelineError] = field(default_factory=dict)


def ask_clusters(clusters: Sequence[Answers], question: ClusterQuestion) -> ClusterAnswers:
    """InputProblem: no cluster has an answer. WarehouseDamaged: the first of these cannot be read."""
    found = ClusterAnswers()
    for one in clusters:
        try:
            found.lines[one.cluster_id] = question(one)
        except (InputProblem, WarehouseDamaged) as problem:
            found.problems[one.cluster_id] = problem
    if not found.lines:
        raise merge_problems(found.problems)
    return found


def merge_problems(problems: dict[str, PipelineError]) -> PipelineError:
    """That of the only cluster as it is; of several what was found in each."""
    first = next(iter(problems.values()))
    if len(problems) == 1:
        return first
    told = [f"{name}: {problem.found}" for name, problem in list(problems.items())[:NAMED]]
    more = [f"{len(problems) - NAMED} more clusters"] if len(problems) > NAMED else []
    return type(first)(expected=first.expected, found="; ".join([*told, *more]), todo=first.todo)


def cluster_answer_lines(asked: ClusterAnswers) -> list[str]:
    """The answers one after the other, then who has none and why, those with the same reason in a line."""
    is_alone = len(asked.lines) + len(asked.problems) == 1
    lines: list[str] = []
    for name, own in asked.lines.items():
        is_named = is_alone or (own[:1] and own[0].startswith(f"{name}  "))
        lines += [*([""] if lines else []), *([] if is_named else [name]), *own]
    alike: dict[str, list[str]] = {}
    for name, problem in asked.problems.items():
        alike.setdefault(problem.expected, []).append(name)
    for expected, names in alike.items():
        found = asked.problems[names[0]].found
        said = f"NO ANSWER  {', '.join(names)}: expected {expected}, found {found}"
        lines += ["", *wrap_text(said, 11)]
    return lines


def cluster_answers_json(asked: ClusterAnswers) -> list[str]:
    """Rows of all clusters in one list, each with its cluster_id; a document of each cluster as it is, of several in a
    list."""
    found: list[Any] = []
    for name, lines in asked.lines.items():
        document = cluster_document(name, lines)
        if isinstance(document, list):
            found += [{"cluster_id": name} | row for row in document]
        elif len(asked.lines) == 1:
            return lines
        else:
            found.append(document)
    return json.dumps(found, indent=2).splitlines()


def cluster_answers_jsonl(asked: ClusterAnswers) -> list[str]:
    """A row, or the document of a cluster, a line each."""
    found = json.loads("\n".join(cluster_answers_json(asked)))
    return [json.dumps(one) for one in (found if isinstance(found, list) else [found])]


def cluster_document(name: str, lines: Sequence[str]) -> Any:
    try:
        return json.loads("\n".join(lines))
    except ValueError:  # a sentence, as that no record has a time
        return {"cluster_id": name, "answer": " ".join(lines)}
