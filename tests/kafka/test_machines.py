"""The machines against a second copy of their matrices, and what a release or a log level decides."""

import subprocess
import sys
import zipfile
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from pipeline.core.machine import BoolMatrix
from pipeline.kafka.machines.by_release import (
    HIDDEN_AT_INFO,
    KINDS,
    SILENT_IN_SOME,
    STARTUP_STATES,
    STATES,
    candidate_machines,
    legality_for,
    machine_of_release,
    machines_by_name,
    move_visibility,
    normal_moves,
    why_normal,
)

REPOSITORY = Path(__file__).resolve().parents[2]

# Typed anew from the matrices of the documentation: rows from, columns to, in the order of STATES.
LITERAL = {
    "R1": """
        0 1 1 0 0 0 0
        0 1 1 0 0 0 0
        0 1 1 1 0 0 0
        0 0 0 0 1 1 0
        0 0 0 0 0 0 1
        0 1 1 0 0 0 0
        1 0 0 0 0 0 0
    """,
    "R2": """
        0 1 1 0 0 0 0
        0 1 1 0 0 0 0
        0 1 1 1 0 1 0
        0 0 0 0 1 1 0
        0 0 0 0 0 0 1
        0 1 1 0 0 0 0
        1 0 0 0 0 0 0
    """,
    "P1": """
        0 1 1 0
        0 1 1 0
        0 1 1 1
        1 0 0 0
    """,
}
CELLS = [
    (name, i, j) for name, n in (("R1", 7), ("R2", 7), ("P1", 4)) for i, j in product(range(n), repeat=2)
]


def literal(name: str) -> BoolMatrix:
    return np.array([[cell == "1" for cell in row.split()] for row in LITERAL[name].strip().splitlines()])


def agree(left: BoolMatrix, right: BoolMatrix) -> bool:
    return left.shape == right.shape and bool((left == right).all())


@pytest.mark.parametrize(("name", "legal"), [("R1", 13), ("R2", 14), ("P1", 8)])
def test_matrix_is_that_of_kafka(name: str, legal: int) -> None:
    machine = machines_by_name()[name]
    assert agree(machine.matrix, literal(name))
    assert machine.matrix.sum() == machine.mask.bit_count() == legal
    assert machine.mask < 2**63


def test_any_flipped_cell_is_seen() -> None:
    for name, i, j in CELLS:
        for side in (machines_by_name()[name].matrix, literal(name)):
            flipped = side.copy()
            flipped[i, j] = not flipped[i, j]
            assert not agree(
                flipped,
                literal(name) if side is machines_by_name()[name].matrix else machines_by_name()[name].matrix,
            )


def test_release_decides_the_machine() -> None:
    of_release = machine_of_release()
    before = ("0.8.1", "0.8.2.1", "0.11.0.3", "2.2.2")
    assert {of_release[one] for one in before} == {"R1"}
    assert {of_release[one] for one in ("2.3.0", "3.9.1")} == {"R2"}
    assert not {"0.8.0", "4.0.0"} & of_release.keys()


def test_name_of_no_machine_is_refused() -> None:
    with pytest.raises(ValueError, match="found R3"):
        candidate_machines("replica", "R3")


def test_one_pair_depends_on_the_release() -> None:
    unknown = legality_for("replica")
    at = STATES["replica"].index("OfflineReplica"), STATES["replica"].index("ReplicaDeletionIneligible")
    assert np.argwhere(unknown == -1).tolist() == [list(at)]
    assert (legality_for("replica", "R1")[at], legality_for("replica", "R2")[at]) == (0, 1)
    assert not (legality_for("partition") == -1).any()


def test_trace_hides_nothing_that_is_known_to_be_hidden() -> None:
    for kind, name in [(kind, name) for kind, names in KINDS.items() for name in (*names, None)]:
        seen = move_visibility(kind, name, is_trace_seen=True)
        assert agree(seen.explained, np.eye(len(STATES[kind]), dtype=bool))
        assert not (seen.explained & seen.complete).any()


def test_info_hides_moves_to_offline_and_nonexistent_partitions() -> None:
    seen = move_visibility("partition", None, is_trace_seen=False)
    # last New, Online, Offline, NonExistent; a visible move to New or Online cannot be missing
    assert seen.explained.astype(int).tolist() == [[1, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]
    assert agree(seen.complete, ~seen.explained)
    assert not move_visibility("replica", None, is_trace_seen=False).complete.any()


def test_replica_online_without_a_line_is_no_proof_of_a_gap() -> None:
    def is_complete(name: str | None, last: str, to: str) -> bool:
        at = STATES["replica"].index(last), STATES["replica"].index(to)
        return bool(move_visibility("replica", name, is_trace_seen=True).complete[at])

    assert not is_complete("R1", "OfflineReplica", "OnlineReplica")
    assert not is_complete(None, "OfflineReplica", "OnlineReplica")
    assert is_complete("R2", "OfflineReplica", "OnlineReplica")
    assert is_complete("R1", "OnlineReplica", "OfflineReplica")


def test_names_of_states_are_those_of_the_machines() -> None:
    for kind, names in KINDS.items():
        for named in (HIDDEN_AT_INFO[kind], STARTUP_STATES[kind], *(SILENT_IN_SOME[name] for name in names)):
            assert set(named) <= set(STATES[kind])
        assert all(machines_by_name()[name].states == STATES[kind] for name in names)


def test_normal_moves_are_refusals_of_pairs_that_are_not_legal() -> None:
    assert len({(n.replica_machine, n.from_state, n.to_state) for n in normal_moves()}) == len(normal_moves())
    for normal in normal_moves():
        name = None if normal.replica_machine == "unknown" else normal.replica_machine
        states = STATES[normal.machine]
        legal = legality_for(normal.machine, name)[
            states.index(normal.from_state), states.index(normal.to_state)
        ]
        assert (normal.verdict, int(legal)) in {("refused", 0), ("refused", -1)}


def test_tables_are_read_from_a_zip(tmp_path: Path) -> None:
    archive = tmp_path / "pipeline.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for package in ("pipeline", "schemas"):
            for path in sorted((REPOSITORY / package).rglob("*")):
                if path.suffix in (".py", ".tsv"):
                    packed.write(path, path.relative_to(REPOSITORY))
    program = (
        "import sys; sys.path[:0] = sys.argv[1:]; from pipeline.kafka.machines import by_release as m; "
        "print(m.__file__.startswith(sys.argv[1]), len(m.machines_by_name()), len(m.normal_moves()))"
    )
    said = subprocess.run(
        [sys.executable, "-c", program, str(archive)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split() == ["True", "3", str(len(normal_moves()))]


def test_what_is_normal_has_its_reason() -> None:
    numbered = why_normal("replica", "OfflineReplica", "ReplicaDeletionIneligible")
    assert numbered.startswith("KAFKA-8237: Up to 2.2 the deletion of a topic")
    assert why_normal("replica", "NewReplica", "NewReplica").startswith("From 2.4 on a reassignment")
    assert not why_normal("replica", "NewReplica", "OnlineReplica")
