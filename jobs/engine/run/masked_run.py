"""A warehouse is read with one masking: what a run states of it, and what it compares."""

import json
from typing import Any

from jobs.settings.masking import OFF
from jobs.settings.model import Settings
from pipeline.catalog.knowledge import knowledge_fingerprint
from pipeline.core.errors import SettingsError
from pipeline.store.runs.published import Published
from pipeline.store.warehouse import ClusterWarehouse


def require_same_masking(
    store: ClusterWarehouse, published: Published, settings: Settings, *, is_new: bool
) -> None:
    """Rows that are stored keep the tokens that they were read with: others would join with none of them."""
    if is_new or published.settings_fingerprint in (None, settings.fingerprint(store.cluster_id)):
        return
    before, wanted = store.settings(published).get("masking", OFF), settings.masking.stated()
    if wanted != before:
        raise SettingsError(
            expected=f"the masking that the logs of cluster {store.cluster_id} were read with, {before}",
            found=f"{wanted}",
            todo="set it and its key back, or read all logs anew into another --warehouse",
        )


def made_by(settings: Settings, cluster_id: str) -> dict[str, str]:
    """What ops.run states that the tables of a run were made by: its settings, and what the program knows of Kafka."""
    return {
        "settings_fingerprint": settings.fingerprint(cluster_id),
        "knowledge_fingerprint": knowledge_fingerprint(),
        "settings": json.dumps(stored_settings(settings), sort_keys=True),
    }


def stored_settings(settings: Settings) -> dict[str, Any]:
    """As ops.run states them: names of hosts in them are masked as in the logs."""
    masking, said = settings.masking.rules(), settings.model_dump(mode="json", by_alias=True)
    if masking is None:
        return said
    return {key: value if key == "masking" else masking.masker.tree(value) for key, value in said.items()}
