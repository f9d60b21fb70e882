"""What the lock files of a cluster are named, and whether who wrote one is still at work on this machine."""

import contextlib
import os
import re
import socket
from pathlib import Path

DEAD_AFTER_SECONDS = 120.0  # without a heart-beat
LOCK_FILE = re.compile(r"^_lock(?:\.(\d+))?$")


def home() -> str:
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
    return True
