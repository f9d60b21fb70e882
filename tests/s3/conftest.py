"""A real S3 server, S3Proxy, and Spark that reaches it by s3a://. Their jars come by Maven, 690 MB, once."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
BUCKET = "kca"
USER, PASSWORD = "tests", "tests-only"
# Of the AWS client alone: all else that hadoop-aws asks for is in Spark.
CLIENT = "-DincludeArtifactIds=hadoop-aws,bundle,analyticsaccelerator-s3,wildfly-openssl"


@dataclass(frozen=True)
class S3:
    """folder: where the server keeps its objects, a file each. environment: of processes that reach it."""

    folder: Path
    environment: dict[str, str]

    def run(self, *words: str) -> subprocess.Popen[str]:
        """A command of this environment, from the checkout."""
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=REPOSITORY,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def nightly(self, *more: str) -> subprocess.Popen[str]:
        given = ["--logs", f"s3a://{BUCKET}/logs", "--warehouse", f"s3a://{BUCKET}/w", "--cluster", "c"]
        return self.run("jobs/nightly.py", *given, *more)


def jars(name: str, *options: str) -> Path:
    """The jars that a pom beside this file names. Skipped: there is no Maven, or no way to them."""
    folder = Path(os.environ.get("TEST_S3_JARS", REPOSITORY / ".venv" / "s3")) / name
    if not folder.is_dir():
        if shutil.which("mvn") is None:
            pytest.skip(f"no Maven here to get the jars of {name}; TEST_S3_JARS names a folder that has them")
        part = folder.with_name(f"{name}.part")
        command = ["mvn", "-q", "-B", "-f", str(Path(__file__).with_name(f"{name}.xml"))]
        copied = subprocess.run(
            [*command, "dependency:copy-dependencies", f"-DoutputDirectory={part}", *options], check=False
        )
        if copied.returncode:
            pytest.skip(f"Maven could not get the jars of {name}")
        part.rename(folder)
    return folder


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def s3(tmp_path: Path) -> Iterator[S3]:
    """A server with one empty bucket."""
    server, client = jars("server"), jars("client", CLIENT)
    port, folder = free_port(), tmp_path / "objects"
    (folder / BUCKET).mkdir(parents=True)
    conf = tmp_path / "s3proxy.conf"
    conf.write_text(
        f"s3proxy.authorization=aws-v2-or-v4\ns3proxy.endpoint=http://127.0.0.1:{port}\n"
        f"s3proxy.identity={USER}\ns3proxy.credential={PASSWORD}\n"
        "jclouds.provider=filesystem-nio2\njclouds.identity=x\njclouds.credential=x\n"
        f"jclouds.filesystem.basedir={folder}\n"
    )
    command = ["java", "-Xmx256m", "-cp", f"{server}/*", "org.gaul.s3proxy.Main", "--properties", str(conf)]
    with (
        (tmp_path / "s3proxy.log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as one,
    ):
        try:
            wait_for(port, one)
            yield S3(folder / BUCKET, environment(tmp_path, f"http://127.0.0.1:{port}", client))
        finally:
            one.kill()


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    until = monotonic() + 60
    while monotonic() < until:
        assert server.poll() is None, "the server ended"
        with socket.socket() as one:
            one.settimeout(1)
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
    raise TimeoutError("the server did not answer within 60 s")


def environment(folder: Path, endpoint: str, client: Path) -> dict[str, str]:
    """As a user has it: a Spark configuration with the keys of s3a, and the variables of AWS for what needs no Spark."""
    shipped = [(REPOSITORY / "conf" / name).read_text() for name in ("spark-defaults.conf", "local.conf")]
    lines = [line for text in shipped for line in text.splitlines() if not line.startswith("spark.jars")]
    delta = ",".join(sorted(map(str, (REPOSITORY / "jars").glob("*.jar"))))
    of_s3 = {
        "spark.jars": delta,
        "spark.driver.extraClassPath": f"{client}/*",
        "spark.hadoop.fs.s3a.endpoint": endpoint,
        "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
        "spark.hadoop.fs.s3a.access.key": USER,
        "spark.hadoop.fs.s3a.secret.key": PASSWORD,
        "spark.hadoop.fs.s3a.path.style.access": "true",
    }
    conf = folder / "conf"
    conf.mkdir()
    lines += [f"{name} {value}" for name, value in of_s3.items()]
    (conf / "spark-defaults.conf").write_text("\n".join(lines) + "\n")
    of_aws = {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": USER,
        "AWS_SECRET_ACCESS_KEY": PASSWORD,
    }
    inherited = {name: value for name, value in os.environ.items() if name != "PYSPARK_SUBMIT_ARGS"}
    return inherited | of_aws | {"SPARK_CONF_DIR": str(conf), "PYTHONPATH": str(REPOSITORY)}
