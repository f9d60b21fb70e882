"""What an incident prints, of any command line."""

import pytest

from jobs.incident.command import main


def printed(capsys: pytest.CaptureFixture[str], *given: str, code: int = 0) -> str:
    assert main(list(given)) == code
    return capsys.readouterr().out
