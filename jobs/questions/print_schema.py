"""The option --schema of a question: what its JSON is."""

import argparse
import json
from typing import Any

from jobs.questions.catalog import question_function

SCHEMA = "answer_schemas:question_json_schema"


def on_schema(arguments: argparse.ArgumentParser, name: str) -> None:
    arguments.set_defaults(question=name)
    arguments.add_argument("--schema", action=PrintSchema, help="prints the JSON schema of --format json")


class PrintSchema(argparse.Action):
    """As --help does it, whatever else the question takes."""

    def __init__(self, option_strings: list[str], dest: str, **told: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **told)

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        print(json.dumps(question_function(SCHEMA)(parser.get_default("question")), indent=1))
        parser.exit()
