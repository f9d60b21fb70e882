"""Is there a Java that Spark 4.1 runs on? Asked before Spark is started, so that the answer is one sentence."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from pipeline.core.errors import EnvironmentProblem

SUPPORTED = (17, 21)
EXPECTED = "Java 17 or 21 (JAVA_HOME, else java on the PATH)"
TODO = "install a JDK 17 or 21 and set JAVA_HOME to it"


def check_java() -> int:
    """Major version of the Java that Spark will start. EnvironmentProblem: none, or none that Spark 4.1 runs on."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        raise EnvironmentProblem(
            expected=EXPECTED, found=f"no java{f' in {home}' if home else ''}", todo=TODO
        )
    try:
        asked = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60)  # noqa: S603  (the Java that Spark is about to start)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise EnvironmentProblem(
            expected=EXPECTED, found=f"{java}, which does not start", todo=TODO
        ) from problem
    printed = asked.stderr
    found = re.search(r'version "(?:1\.)?(\d+)', printed)
    if found is None or int(found.group(1)) not in SUPPORTED:
        first_line = printed.strip().splitlines()[0] if printed.strip() else "a java that prints no version"
        raise EnvironmentProblem(expected=EXPECTED, found=f"{first_line} ({java})", todo=TODO)
    return int(found.group(1))
