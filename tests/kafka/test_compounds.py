"""Leader, ISR and replicas inside of other fields, in every form that a release prints."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kafka.reading import read
from tests.oracle import rows
from tests.oracle.rendering import HEAD, Instance, at_names
from tests.oracle.values import COLLECTIONS, hard

COLUMNS = ("leader", "leader_epoch", "isr", "replicas")
BROKER = st.integers(0, 2**31 - 1)
MAYBE = st.integers(-2, 2**31 - 1)


@dataclass(frozen=True)
class Truth:
    leader: int
    node: int
    leader_epoch: int
    isr: list[int]
    replicas: list[int]
    collection: str

    def printed(self) -> dict[str, str]:
        """Each part by the name that stands for it in tests/oracle/compounds.tsv; `_`: blanks after commas."""
        epochs = (f"BrokerState(brokerId={one}, brokerEpoch={one - 1})" for one in self.isr)
        return {
            "leader": str(self.leader),
            "node": str(self.node),
            "epoch": str(self.leader_epoch),
            "isr": ",".join(map(str, self.isr)),
            "isr_": ", ".join(map(str, self.isr)),
            "replicas": ",".join(map(str, self.replicas)),
            "replicas_": ", ".join(map(str, self.replicas)),
            "states": ", ".join(epochs),
            "scala": self.collection,
        }


def printed_forms() -> Iterator[tuple[rows.Wording, dict[str, str]]]:
    """Each form of each compound, in the rows with that compound alone one after the other."""
    forms = rows.compound_forms()
    compounds = {part.field for part in rows.parts()}
    users = {
        name: cycle([one for one in rows.wordings() if compounds.intersection(one.fields) == {name}])
        for name in {form["field"] for form in forms}
    }
    for form in forms:
        yield next(users[form["field"]]), form


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    truth=st.builds(
        Truth, MAYBE, BROKER, MAYBE, st.lists(BROKER), st.lists(BROKER), st.sampled_from(COLLECTIONS)
    )
)
def test_every_form_says_what_it_was_made_of(truth: Truth) -> None:
    lines, expected = [], []
    for wording, form in printed_forms():
        texts = {name: hard(name)[0] for name in wording.fields}
        texts[form["field"]] = at_names(form["form"], truth.printed())
        stated = {name: getattr(truth, name) for name in form["states"].split()}
        if "@node" in form["form"] and stated:
            stated["leader"] = truth.node
        direct = {rows.fields()[name]["column"] for name in wording.fields}
        expected.append({name: stated.get(name) for name in COLUMNS if name not in direct})
        lines.append(f"{HEAD}{Instance(wording, texts).message} ({wording.logger})\n")
    found = read("".join(lines).encode(), log="mixed")
    for line, row, columns in zip(lines, found, expected, strict=True):
        assert (row["event"] is not None, {name: row[name] for name in columns}) == (True, columns), line


def test_every_compound_has_its_forms() -> None:
    compounds = {part.field for part in rows.parts() if part.column in COLUMNS}
    assert {form["field"] for form in rows.compound_forms()} == compounds
