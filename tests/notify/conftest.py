"""An endpoint on loopback, and a warehouse of the test's own."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.notify import sending
from jobs.notify.destination import VARIABLE
from tests.golden import unpacked
from tests.notify.endpoint import Endpoint


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpacked(tmp_path_factory.mktemp("golden"))


@pytest.fixture
def golden(kept: Path, tmp_path: Path) -> Path:
    """A warehouse of this format with three findings that go on, the test's own."""
    return Path(shutil.copytree(kept, tmp_path / "warehouse"))


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def of_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxies, no URL; and pauses that nobody has to wait for."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(sending, "PAUSES", (0.01, 0.01, 0.01))
