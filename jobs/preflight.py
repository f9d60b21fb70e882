"""Is this machine able to run the jobs? Asked with any python3, before anything is installed.

Imports nothing but the standard library and modules of this project that do the same.
"""

import sys
from pathlib import Path

PYTHONS = ((3, 11), (3, 12), (3, 13))


def python_problem(version: "tuple[int, ...]") -> "str | None":
    """One sentence if the jobs do not run on this Python."""
    if version[:2] in PYTHONS:
        return None
    found = ".".join(str(part) for part in version[:3])
    return (
        f"Expected Python 3.11, 3.12 or 3.13, found {found} ({sys.executable}); "
        "install one of them and name it, for example: make run PYTHON=python3.12."
    )


def java_problem() -> "str | None":
    """One sentence if Spark would find no Java that it runs on."""
    # Here, not above: an older Python gets its sentence before it meets newer syntax.
    from pipeline.core.errors import EnvironmentProblem  # noqa: PLC0415  (an older Python must get as far as here)
    from pipeline.store.spark.java import check_java  # noqa: PLC0415  (an older Python must get as far as here)

    try:
        check_java()
    except EnvironmentProblem as problem:
        return str(problem)
    except OSError as problem:
        return str(
            EnvironmentProblem(
                expected="a java that starts",
                found=str(problem),
                todo="install a JDK 17 or 21 and set JAVA_HOME to it",
            )
        )
    return None


def main() -> int:
    problem = python_problem(tuple(sys.version_info[:3])) or java_problem()
    if problem is None:
        return 0
    sys.stderr.write(problem + "\n")
    return 3


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    sys.exit(main())
