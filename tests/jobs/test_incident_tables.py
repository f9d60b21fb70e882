"""All tables of an incident are those that a nightly run publishes of the same logs."""

import pytest

from jobs.settings.load import load_settings
from tests.incident.answers import SAMPLE, answer_of, differing, settings_of, stored_tables, tables_of

pytestmark = pytest.mark.spark
CLUSTER = "lab-2.2.2"


def test_all_tables_of_the_sample(sample_warehouse: str) -> None:
    plain = load_settings(None, {}, {}, None)
    settings = settings_of().model_copy(update={"server_log": plain.server_log})
    found = tables_of(answer_of([SAMPLE], settings, CLUSTER))
    stored = stored_tables(sample_warehouse, CLUSTER)
    assert len(stored) > 30
    assert not differing(found, stored)
