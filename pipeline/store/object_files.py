"""Small files of an object store, read without Spark."""

from dataclasses import dataclass

from pyarrow import fs

from pipeline.core.files import at_uri


@dataclass(frozen=True)
class ObjectFiles:
    """Files at a URI that pyarrow takes, by the credentials that it finds in the environment."""

    def exists(self, uri: str) -> bool:
        system, inner = at_uri(uri)
        return bool(system.get_file_info(inner).type != fs.FileType.NotFound)

    def names(self, uri: str) -> list[str]:
        system, inner = at_uri(uri)
        found = system.get_file_info(fs.FileSelector(inner, allow_not_found=True))
        return sorted(one.base_name for one in found)

    def text(self, uri: str) -> str | None:
        system, inner = at_uri(uri)
        try:
            with system.open_input_stream(inner) as stream:
                return str(stream.read().decode("utf-8", "replace"))
        except FileNotFoundError:
            return None
