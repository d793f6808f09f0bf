"""Keeps large sets of hashes in eight bytes each: what is done, which ids there are."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator


class Hashes:
    """Is a set of 64-bit hashes that is built once and then asked.

    A Python set takes about 90 bytes an entry; a run of 100,000 rows shall not.

    Example:
        >>> known = Hashes(hash_of("a", 1) for _ in range(3))
        >>> hash_of("a", 1) in known, hash_of("a", 2) in known, len(known)
        (True, False, 3)
    """

    def __init__(self, hashes: Iterable[int] = ()) -> None:
        unsorted = array("Q", hashes)
        self._sorted = array("Q", sorted(unsorted)) if len(unsorted) > 1 else unsorted

    def __contains__(self, number: int) -> bool:
        place = bisect_left(self._sorted, number)
        return place < len(self._sorted) and self._sorted[place] == number

    def __len__(self) -> int:
        return len(self._sorted)

    def repeated(self) -> Iterator[int]:
        """The hashes that are in it more than once, each once."""
        before = last = None
        for number in self._sorted:
            if number == before and number != last:
                last = number
                yield number
            before = number


def hash_of(*parts: object) -> int:
    """Hashes strings and numbers to 64 bits, the same in every process."""
    text = "\x1f".join(map(str, parts))
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
