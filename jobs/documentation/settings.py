"""What is made of the declared settings: their table, and the file in conf/ that shows each with its default."""

from textwrap import wrap

from jobs.settings.defaults import DeclaredSetting, declared_settings
from pipeline.catalog.docs import markdown_table

CONF_FILE = "conf/kafka-controller-audit.yaml"
WIDTH = 140
HEAD = """\
# Settings of kafka-controller-audit. Every key stands here with its default, commented out: take "# " away to set it.
# Later ones win: the defaults, this file (or --conf FILE), KCA_... in the environment
# (KCA_ZONE=Europe/Berlin, KCA_LIMITS__RANGE_BYTES=1048576), flags. Spark's own settings are in spark-defaults.conf.
# `make docs` writes this file from what jobs/settings and the rules of the audit declare.
"""


def settings_part() -> str:
    """Key, default, meaning; a section without a sentence of its own is left out."""
    rows = (
        (f"`{one.key}`", f"`{one.default}`" if one.default else "", meaning_cell(one.meaning))
        for one in declared_settings()
        if one.default or one.meaning
    )
    return markdown_table(("key", "default", "meaning"), rows)


def meaning_cell(meaning: str) -> str:
    """The sentences; of an example in lines of its own, where it stands."""
    words, _, example = meaning.partition("\n")
    said = words.replace("<", "&lt;")
    return f"{said} see `{CONF_FILE}`" if example else said


def settings_file() -> str:
    """Text of CONF_FILE."""
    return HEAD + "".join(map(commented_setting, declared_settings()))


def commented_setting(one: DeclaredSetting) -> str:
    """Its meaning and its line, commented out; what stands in no section, or begins one, after an empty line."""
    *outer, name = one.key.split(".")
    words, _, example = one.meaning.partition("\n")
    lines = wrap(words, WIDTH, break_long_words=False, break_on_hyphens=False)
    lines = [*lines, *(f"  {line}" for line in example.splitlines())]
    value = f"{name}: {one.default}".rstrip()
    if outer:
        return "".join(f"#   {line}\n" for line in (*(f"# {line}" for line in lines), value))
    return "\n" + "".join(f"# {line}\n" for line in (*lines, value))
