"""The registry of questions: what it declares is what the functions take, and what every list of questions shows."""

import inspect

import pytest

from jobs import cli
from jobs.assistants.asked import OF_RUNS, AskedWarehouse
from jobs.assistants.tools import OWN, assistant_tools, question_signature, question_words
from jobs.cli import COMMANDS
from jobs.questions import asking
from jobs.questions.asking import answered_rows
from jobs.questions.catalog import QUESTIONS, question_function
from jobs.questions.question_parsers import parse_question, question_list_lines
from jobs.questions.taken import TAKES
from pipeline.catalog.tables import BY_NAME
from pipeline.views.reading.answers import Answers
from tests.jobs.asking import words_of

# Of which arguments MADE makes what a function takes.
PERIOD = ("since", "until")  # or a time
MADE_OF = {"about": {"topic", "number", "broker"}, "is_all": {"all"}}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_function_takes_what_its_question_declares(name: str) -> None:
    question = QUESTIONS[name]
    dests = {TAKES[one].dest or TAKES[one].flag for one in question.takes}
    names = {*inspect.signature(question_function(question.where)).parameters}
    arguments = {part for one in names - {"answers", "given", "of_run"} for part in MADE_OF.get(one, {one})}
    assert arguments <= dests and "answers" in names
    instead = {question.instead[0]} if question.instead else set()
    assert "given" in names or arguments | instead == dests
    assert {*question.needs} <= BY_NAME.keys()
    assert all(
        question_function(where) for where in (question.conflict, (question.instead or (0, None))[1]) if where
    )


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_list_has_the_question(name: str) -> None:
    question = QUESTIONS[name]
    assert any(line.startswith(f"  {name} ") for line in question_list_lines())
    assert name in OWN or name.replace("-", "_") in {
        one.__name__ for one in assistant_tools(AskedWarehouse(""))
    }
    assert question.is_command <= (name in COMMANDS)
    shown = {str(TAKES[one]) for one in question.takes} | {f"--format {one}" for one in question.formats}
    assert {one.strip("[]") for one in question.usage.replace("] [", "]|[").split("|") if one} <= shown


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_assistant_gives_every_argument_but_files(name: str) -> None:
    parameters = question_signature(QUESTIONS[name]).parameters
    assert {"cluster", "cursor"} <= parameters.keys()
    assert not {"compare", "output", "number", "node"} & parameters.keys()
    values = {
        "partition": 0,
        "topic": "orders",
        "broker": 3,
        "finding": "F1",
        "term": "1",
        "around": "5m",
        "controller": 1,
    }
    given = {
        one: values.get(one, "09:00") for one in parameters if "at" not in parameters or one not in PERIOD
    }
    parsed = parse_question(question_words(name, given | {"all": True, "threshold": 5.0, "every": 60}))
    assert parsed.question == name


@pytest.mark.usefixtures("sample_in_memory")
@pytest.mark.parametrize("name", sorted(set(QUESTIONS) - {*OF_RUNS}))
def test_every_question_is_asked_by_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = words_of(name)
    (row,) = answered_rows(words)
    assert row["question"] == " ".join(words)
    assert QUESTIONS[name].is_listing or row["answer"].endswith(".")
    assert asking.main([]) == 0
    assert name in capsys.readouterr().out


@pytest.mark.usefixtures("sample_in_memory")
@pytest.mark.parametrize("name", sorted(name for name in {*QUESTIONS} & {*COMMANDS} if name != "runs"))
def test_a_command_and_the_question_of_its_name_are_one_thing(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = words_of(name) + (["--at", "09:00:13"] if name == "imbalance" else [])
    assert cli.main(words) == 0
    by_command = capsys.readouterr()
    assert cli.main(["ask", *words]) == 0
    assert capsys.readouterr() == by_command and by_command.out


def test_options_may_stand_before_the_question(
    sample_answers: Answers, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, str | None]] = []

    def answers_of(warehouse: str, cluster: str | None, _: str | None) -> list[Answers]:
        asked.append((warehouse, cluster))
        return [sample_answers]

    monkeypatch.setattr(asking, "all_answers", answers_of)
    assert asking.main(["--warehouse", "w"]) == 0
    assert not asked and "is-it-safe-to-restart" in capsys.readouterr().out
    assert asking.main(["--warehouse", "w", "stuck", "--cluster", "c"]) == 0
    assert asked == [("w", "c")] and "is told to be stuck" in capsys.readouterr().out
