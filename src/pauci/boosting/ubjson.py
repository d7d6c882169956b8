"""Universal binary JSON, as far as XGBoost writes it."""

from typing import Any

import numpy as np

#: Type markers to NumPy's names of numbers, which are big-endian.
_NUMBERS = {b"i": ">i1", b"U": ">u1", b"I": ">i2", b"l": ">i4", b"L": ">i8", b"d": ">f4", b"D": ">f8"}
_CONSTANTS = {b"T": True, b"F": False, b"Z": None}
#: Models are nested half as deep.
_DEEPEST = 16


def read_ubjson(content: bytes) -> Any:
    r"""Read a document that must be nothing else; a list of numbers of one type becomes an array.

    Raises
    ------
    ValueError
        It is cut off, goes on after its end, or holds what XGBoost does not write.

    Examples
    --------
    >>> read_ubjson(b"{L" + bytes(7) + b"\x01a[$U#L" + bytes(7) + b"\x02\x05\x06}")
    {'a': array([5, 6], dtype=uint8)}
    """
    reader = _Reader(content)
    value = reader.value(reader.take(1), _DEEPEST)
    if reader.place != len(content):
        raise ValueError("it goes on after its end")
    return value


class _Reader:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self.place = 0

    def take(self, length: int) -> bytes:
        start, self.place = self.place, self.place + length
        if self.place > len(self._content):
            raise ValueError("it is cut off")
        return self._content[start : self.place]

    def value(self, kind: bytes, depth: int) -> Any:
        if kind in _NUMBERS:
            return self._numbers(kind, 1)[0].item()
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        if kind == b"S":
            return self._text()
        if depth == 0 or kind not in (b"{", b"["):
            raise ValueError(f"{kind!r} begins nothing that a model holds there")
        return self._mapping(depth) if kind == b"{" else self._sequence(depth)

    def _mapping(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (kind := self.take(1)) != b"}":
            self.place -= len(kind)
            name = self._text()
            if name in found:
                raise ValueError(f"{name[:40]!r} is there twice")
            found[name] = self.value(self.take(1), depth - 1)
        return found

    def _sequence(self, depth: int) -> Any:
        kind = self.take(1)
        if kind == b"$":
            of, kind = self.take(1), self.take(1)
            if of not in _NUMBERS:
                raise ValueError(f"{of!r} is no type of numbers")
            return self._numbers(of, self._length(kind, b"#"))
        return [self.value(self.take(1), depth - 1) for _ in range(self._length(kind, b"#"))]

    def _numbers(self, kind: bytes, length: int) -> Any:
        dtype = np.dtype(_NUMBERS[kind])
        return np.frombuffer(self.take(length * dtype.itemsize), dtype).astype(dtype.newbyteorder("="))

    def _text(self) -> str:
        return self.take(self._length(b"", b"")).decode()

    def _length(self, found: bytes, expected: bytes) -> int:
        if found != expected or self.take(1) != b"L":
            raise ValueError("something else stands where a length should be")
        length = int.from_bytes(self.take(8), "big")
        if length > len(self._content):
            raise ValueError("it is cut off")
        return length
