"""What can go wrong with settings, machine, input or warehouse: each is one sentence and one exit code."""

from dataclasses import dataclass
from typing import ClassVar


class PipelineError(Exception):
    """A failure that the person who started the job can act on: expected, found, what to do."""

    exit_code: ClassVar[int] = 1

    def __init__(self, *, expected: str, found: str, todo: str) -> None:
        self.expected = expected
        self.found = found
        self.todo = todo
        super().__init__(f"Expected {expected}, found {found}; {todo}.")


class NeedsSpark(Exception):
    """Work that was begun without Spark has to be done by it: nothing of it is published."""


class ProgramFault(PipelineError):
    """A fault of the program itself."""


class SettingsError(PipelineError):
    """Settings or arguments are wrong."""

    exit_code = 2


class EnvironmentProblem(PipelineError):
    """Java, Python, Spark, Delta's jars or the network are not as the job needs them."""

    exit_code = 3


class InputProblem(PipelineError):
    """The log folder is missing or unreadable, holds no Kafka log, or contradicts itself."""

    exit_code = 4


class NothingToRead(InputProblem):
    """A cluster has files, but no log of Kafka among them."""


class GateFailed(PipelineError):
    """A critical expectation failed: the last good versions stay published."""

    exit_code = 5


class Locked(PipelineError):
    """Another run holds the cluster's lock."""

    exit_code = 6


class PartialInput(PipelineError):
    """The run was published, but some of the input could not be read, or was read in another zone than its own."""

    exit_code = 7


class FindingsReached(PipelineError):
    """The run was published, and findings reach the severity given with --fail-on."""

    exit_code = 8


class NotConfirmed(PipelineError):
    """The records of a finding do not say what it says."""

    exit_code = 8


class WarehouseFormat(PipelineError):
    """The warehouse was written in a format that this release does not know."""

    exit_code = 9


class WarehouseDamaged(PipelineError):
    """What a run published is not there any more, or not whole: nothing is written until it is repaired."""

    exit_code = 10


@dataclass(frozen=True)
class ExitCode:
    code: int
    name: str
    meaning: str
    is_published: bool


EXIT_CODES: tuple[ExitCode, ...] = (
    ExitCode(0, "success", "All went well; also when nothing was new.", is_published=True),
    ExitCode(
        1,
        "unexpected",
        "A fault of the program itself: the file that is named says where.",
        is_published=False,
    ),
    ExitCode(2, "settings", "Settings or arguments are wrong.", is_published=False),
    ExitCode(
        3,
        "environment",
        "Java, Python, Spark, Delta's jars, the network, the disk or a right on it fail.",
        is_published=False,
    ),
    ExitCode(
        4, "input", "The log folder is missing or unreadable, or holds no Kafka log.", is_published=False
    ),
    ExitCode(
        5, "gate", "A critical expectation failed; the last good versions stay published.", is_published=False
    ),
    ExitCode(6, "locked", "Another run holds the cluster's lock.", is_published=False),
    ExitCode(
        7,
        "partial",
        "Published, but some of the input could not be read, or is of another time zone.",
        is_published=True,
    ),
    ExitCode(
        8,
        "findings",
        "Published, and findings reach the severity of --fail-on; of verify: one is not confirmed.",
        is_published=True,
    ),
    ExitCode(
        9, "warehouse", "The warehouse has a format that this release does not know.", is_published=False
    ),
    ExitCode(
        10,
        "damaged",
        "A table does not hold what was published; nothing is written: doctor says what, repair mends it.",
        is_published=False,
    ),
)
