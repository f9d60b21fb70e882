"""What the lock files of a cluster are named, and whether who wrote one is still at work on this machine."""

import contextlib
import json
import os
import re
import socket
from pathlib import Path
from typing import Any

DEAD_AFTER_SECONDS = 120.0  # without a heart-beat
LOCK_FILE = re.compile(r"^_lock(?:\.(\d+))?$")
Holder = dict[str, Any]


def holder_in(text: str) -> Holder | None:
    """What a lock file says of who has it; nothing where it is none of ours. None: it is not whole."""
    try:
        said = json.loads(text)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        return {}
    return said if isinstance(said, dict) else {}


def is_holder_gone(holder: Holder) -> bool:
    """Whether its process, on this machine, is over."""
    pid = holder.get("pid")
    return holder.get("home", "") == process_home() and not (isinstance(pid, int) and is_process(pid))


def is_silent(now_ms: float, beat_ms: float) -> bool:
    """Whether a heart-beat is not of now: of long before, or later than now, as in a copy, or by another clock."""
    return abs(now_ms - beat_ms) > DEAD_AFTER_SECONDS * 1000


def process_home() -> str:
    """Where a process id means something: host, by its boot as names repeat, and in containers their processes."""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{socket.gethostname()} {boot} {Path('/proc/self/ns/pid').readlink()}"
    return socket.gethostname()


def is_process(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    except (OverflowError, ValueError):
        return False
    return True
