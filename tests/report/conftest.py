"""The tables of the sample, built in memory by the kernels."""

import pytest

from pipeline.views.reading.answers import Answers
from tests.conftest import REPOSITORY
from tests.jobs.answering import answers_of_logs


@pytest.fixture(scope="session")
def sample_answers() -> Answers:
    return answers_of_logs(REPOSITORY / "tests" / "data" / "sample" / "lab-2.2.2")
