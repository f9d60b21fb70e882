"""The CronJob: one run at a time, by the restricted profile of Kubernetes, with commands that are there."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobs.notify.destination import VARIABLE
from jobs.settings.load import load_settings
from pipeline.core.errors import EXIT_CODES
from tests.deploy.given import PARTIAL, WORTH_A_RETRY, commands_in, parsed, text_of

FILE = "kubernetes.yaml"


@pytest.fixture(scope="module")
def objects() -> dict[str, Any]:
    return {one["kind"]: one for one in yaml.safe_load_all(text_of(FILE))}


@pytest.fixture(scope="module")
def job(objects: dict[str, Any]) -> Any:
    return objects["CronJob"]["spec"]["jobTemplate"]["spec"]


@pytest.fixture(scope="module")
def pod(job: dict[str, Any]) -> Any:
    return job["template"]["spec"]


def test_runs_do_not_overlap_and_codes_that_come_again_are_not_tried_again(
    objects: dict[str, Any], job: dict[str, Any]
) -> None:
    assert objects["CronJob"]["spec"]["concurrencyPolicy"] == "Forbid"
    assert job["template"]["spec"]["restartPolicy"] == "Never"  # a policy on failures asks for it
    (rule,) = [one["onExitCodes"] for one in job["podFailurePolicy"]["rules"] if "onExitCodes" in one]
    assert (rule["operator"], tuple(rule["values"])) == ("NotIn", WORTH_A_RETRY)
    assert set(WORTH_A_RETRY) < {one.code for one in EXIT_CODES}


def test_the_pod_is_of_the_restricted_profile(pod: dict[str, Any]) -> None:
    """Source: Kubernetes, Pod Security Standards, Restricted."""
    assert (
        pod["securityContext"]["runAsNonRoot"]
        and pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
    )
    (user,) = set(re.findall(r"^USER (\d+):\d+$", text_of("Dockerfile"), re.M))
    assert {pod["securityContext"][name] for name in ("runAsUser", "runAsGroup", "fsGroup")} == {int(user)}
    assert not pod.keys() & {"hostNetwork", "hostPID", "hostIPC"} and not pod["automountServiceAccountToken"]
    assert all(one.keys() & {"persistentVolumeClaim", "configMap", "emptyDir"} for one in pod["volumes"])
    for one in pod["containers"]:
        own = one["securityContext"]
        assert not own["allowPrivilegeEscalation"] and own["readOnlyRootFilesystem"]
        assert own["capabilities"] == {"drop": ["ALL"]}
        assert one["resources"]["requests"]["cpu"] and one["resources"]["limits"]["memory"]


def test_what_is_written_lies_on_a_volume_that_takes_it(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    mounts = {one["mountPath"]: one for one in container["volumeMounts"]}
    volumes = {one["name"] for one in pod["volumes"]}
    assert {one["name"] for one in mounts.values()} == volumes
    (script,) = container["args"]
    nightly, findings, notify = map(parsed, commands_in(script))
    assert mounts[nightly.logs[0]]["readOnly"] and mounts[nightly.conf.parent.as_posix()]["readOnly"]
    assert nightly.warehouse == findings.warehouse == notify.warehouse
    kept = {one["name"]: one.get("value") for one in container["env"]}["TMPDIR"]
    written = (findings.warehouse, findings.output.rpartition("/")[0], kept, "/tmp")  # noqa: S108  (Java's)
    assert [one for one in written if mounts[one].get("readOnly")] == []
    assert findings.format == "prometheus" and findings.output.endswith(".prom")
    assert nightly.wait > 0 and notify.fail


@pytest.mark.parametrize(
    ("nightly", "notify", "code"), [(0, 0, 0), (PARTIAL, 0, 0), (5, 3, 5), (PARTIAL, 3, 3), (0, 3, 3)]
)
def test_findings_are_sent_where_a_secret_says_so_and_the_code_is_the_runs(
    pod: dict[str, Any], tmp_path: Path, nightly: int, notify: int, code: int
) -> None:
    (container,) = pod["containers"]
    given = {one["name"]: one.get("valueFrom") for one in container["env"]}
    assert given[VARIABLE]["secretKeyRef"]["optional"] is True
    program = tmp_path / "kafka-controller-audit"
    codes = f"case $1 in nightly) exit {nightly};; notify) exit {notify};; esac"
    program.write_text(f"#!/bin/sh\necho $1\n{codes}\n")
    program.chmod(0o755)
    alone = 0 if nightly == PARTIAL else nightly
    for url, expected in (("", "nightly findings"), ("https://a.b/c", "nightly findings notify")):
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", **({VARIABLE: url} if url else {})}
        done = subprocess.run(
            [*container["command"], *container["args"]],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout.split()) == (code if url else alone, expected.split())


def test_the_settings_are_settings(objects: dict[str, Any], tmp_path: Any) -> None:
    ((name, text),) = objects["ConfigMap"]["data"].items()
    (tmp_path / name).write_text(text)
    assert load_settings(tmp_path / name, {}).cluster_id == "prod"


def test_nothing_goes_over_the_network(objects: dict[str, Any], job: dict[str, Any]) -> None:
    policy = objects["NetworkPolicy"]["spec"]
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"} and not policy.keys() & {"ingress", "egress"}
    assert policy["podSelector"]["matchLabels"].items() <= job["template"]["metadata"]["labels"].items()
