"""A stream that seeks forward by reading, as what is uncompressed cannot seek by itself."""

import io

BLOCK = 256 << 10


class ForwardOnly(io.RawIOBase):
    """position: bytes that were read, which `readinto` of a subclass counts."""

    position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        target = offset if whence == io.SEEK_SET else self.position + offset
        if whence == io.SEEK_END or target < self.position:
            raise io.UnsupportedOperation("a compressed stream is read forward only")
        while self.position < target and self.read(min(target - self.position, BLOCK)):
            pass
        return self.position
