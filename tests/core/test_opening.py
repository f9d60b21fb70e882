"""Files of any codec, opened."""

import gzip
from pathlib import Path

import pyarrow as pa

from pipeline.core.opening import open_by_content, open_input


def test_codecs_give_the_uncompressed_bytes(tmp_path: Path) -> None:
    content = b"[1] x\n" * 1000
    (tmp_path / "plain").write_bytes(content)
    (tmp_path / "two.gz").write_bytes(gzip.compress(content[:3000]) + gzip.compress(content[3000:]))
    (tmp_path / "z.zst").write_bytes(pa.Codec("zstd").compress(content, asbytes=True))
    for name, codec in (("plain", "plain"), ("two.gz", "gzip"), ("z.zst", "zstd")):
        with open_input(str(tmp_path / name), codec) as stream:
            assert stream.read() == content


def test_compressed_streams_seek_forward(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    (tmp_path / "a.gz").write_bytes(gzip.compress(content))
    (tmp_path / "a.zst").write_bytes(pa.Codec("zstd").compress(content, asbytes=True))
    for name, codec in (("a.gz", "gzip"), ("a.zst", "zstd")):
        with open_input(str(tmp_path / name), codec) as stream:
            stream.seek(1_000_003)
            assert stream.read(10) == content[1_000_003:1_000_013]


def test_the_codec_is_what_the_bytes_say_not_the_name(tmp_path: Path) -> None:
    content = b"[1] x\n" * 1000
    files = {
        "a.gz": ("plain", content),
        "a.log": ("gzip", gzip.compress(content)),
        "skipped.zst": (
            "zstd",
            b"\x53\x2a\x4d\x18\2\0\0\0xy" + pa.Codec("zstd").compress(content, asbytes=True),
        ),
        "b.log.gz": ("zstd", pa.Codec("zstd").compress(content, asbytes=True)),
        "empty.gz": ("plain", b""),
    }
    for name, (codec, stored) in files.items():
        (tmp_path / name).write_bytes(stored)
        found, stream = open_by_content(str(tmp_path / name))
        with stream:
            assert (found, stream.read()) == (codec, content if stored else b"")
