"""Times scanners on the same texts in turns, by the clock of the processor.

All of them compute and none waits, so that on an idle machine it says what the clock on the wall says. On a busy one
the wall would favour whoever is quick: a turn of two milliseconds is seldom interrupted, one of forty always.
"""

from __future__ import annotations

import os
import signal
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from guard_adversarial import adversarial

ADVERSARIAL_LENGTH = 40_000
MIN_BATCH_S = 0.005
"""A turn lasts at least so long: a clock read around a few microseconds would be most of them."""

_SENTENCES = (
    "Boilers are serviced every spring, and the parts are free for two years.",
    "To get a case logged, call the front desk or write to them; they answer within a week.",
    "Our technician will ring you half an hour before he arrives, so please keep your phone at hand.",
    "If the pressure falls below one bar, open the valve under the unit until the needle is in the green field.",
    "Invoices go out on the first working day of the month, and a reminder follows after two weeks.",
    "It's that simple: send the old filter back in the same box, and the deposit is paid to your account.",
    "The warranty does not cover damage by frost, which is why the pipes in the garage should be emptied in autumn.",
    "You can move an appointment online as often as you like, up to the evening before.",
    "They will search their files and get back to you with the number of the contract.",
    "Two of the three pumps were replaced in May (order 48213), the third one is due next year.",
    "Please read the meter on Sunday, note all eight digits and enter them in the app.",
)
_ACCENTED = (
    "Für Rückfragen erreichen Sie uns werktags zwischen acht und achtzehn Uhr; der Techniker prüft die Größe vor Ort.",
    "La pièce a été livrée à l’entrepôt mardi, et le réglage se fera dès que l’équipe sera là.",
    "El año pasado se cambió la válvula; la señal del depósito todavía está en garantía.",
    "Proszę wysłać zdjęcie licznika, żebyśmy mogli sprawdzić, czy wskazania się zgadzają.",
)

_PARAGRAPH = " ".join((_SENTENCES[0], _SENTENCES[8], "It's that simple.")) + " "

Work = Callable[[str], object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Times:
    """Is what one call takes: the median over the turns, by the clock on the wall and by that of the processor."""

    wall_us: float
    cpu_us: float


def plain(length: int, sentences: Sequence[str] = _SENTENCES) -> list[str]:
    """Writes several harmless texts of this many characters, no two the same."""
    texts: list[str] = []
    for first in range(0, len(sentences), max(1, len(sentences) // 4)):
        turned = " ".join((*sentences[first:], *sentences[:first])) + " "
        texts.append((turned * (length // len(turned) + 1))[:length])
    return texts


def plain_sizes() -> dict[str, list[str]]:
    """Gives the plain texts that speed is measured on, by name."""
    return {
        "500 characters": plain(500),
        "8 KB": plain(8_000),
        "500 characters, accents": plain(500, _ACCENTED),
        "8 KB, one paragraph repeated": [(_PARAGRAPH * 60)[:8_000]],
    }


def in_turns(works: Mapping[str, Work], texts: Sequence[str], *, rounds: int) -> dict[str, Times]:
    """Times each of several works, warm, one after the other in every round."""
    batches = {name: _batch(work, texts) for name, work in works.items()}
    wall: dict[str, list[float]] = {name: [] for name in works}
    cpu: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            seconds, cpu_seconds = _time(work, texts, batches[name])
            calls = batches[name] * len(texts)
            wall[name].append(seconds / calls)
            cpu[name].append(cpu_seconds / calls)
    return {
        name: Times(wall_us=statistics.median(wall[name]) * 1e6, cpu_us=statistics.median(cpu[name]) * 1e6)
        for name in works
    }


def adversarial_times(work: Work, *, rounds: int) -> dict[str, dict[str, float]]:
    """Times a scanner on the adversarial texts, and says how much longer twice the length takes.

    Returns:
        By name: milliseconds on the wall and of the processor at 40,000 characters, and the growth from 20,000 to
        40,000 characters, by the processor: 2 is linear.
    """
    whole = adversarial(ADVERSARIAL_LENGTH)
    half = adversarial(ADVERSARIAL_LENGTH // 2)
    found: dict[str, dict[str, float]] = {}
    for name, text in whole.items():
        long, short = (in_turns({name: work}, [piece], rounds=rounds)[name] for piece in (text, half[name]))
        found[name] = {
            "ms": round(long.wall_us / 1e3, 3),
            "cpu_ms": round(long.cpu_us / 1e3, 3),
            "growth": round(long.cpu_us / short.cpu_us, 2),
        }
    return found


def worst_of(work: Work, *, length: int = 8_000, limit_s: float = 3) -> dict[str, object]:
    """Times a scanner on each adversarial text, in a process of its own that ends after some seconds.

    Returns:
        The slowest text and its milliseconds; those of the limit where it was reached, and how many texts reached it.
    """
    took = {name: _in_a_child(work, text, limit_s) for name, text in adversarial(length).items()}
    slowest = max(took, key=lambda name: took[name])
    ended = sum(seconds >= limit_s for seconds in took.values())
    return {"text": slowest, "ms": round(took[slowest] * 1e3, 1), "limit_reached": ended}


def _in_a_child(work: Work, text: str, limit_s: float) -> float:
    """Gives the seconds of one call; a pattern that runs away holds the interpreter, so only a signal can end it."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, limit_s)
        try:
            took = _seconds(work, text)
            if took < limit_s / 10:  # else warm is no different
                took = min(_seconds(work, text) for _ in range(3))
            os.write(writer, repr(took).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="ascii") as answer:
        seconds = answer.read()
    os.waitpid(child, 0)
    return float(seconds or limit_s)


def _seconds(work: Work, text: str) -> float:
    return _time(work, [text], 1)[1]


def _time(work: Work, texts: Sequence[str], times: int) -> tuple[float, float]:
    started, cpu_started = time.perf_counter(), time.process_time()
    for _ in range(times):
        for text in texts:
            work(text)
    return time.perf_counter() - started, time.process_time() - cpu_started


def _batch(work: Work, texts: Sequence[str]) -> int:
    """Says how often to go through the texts in a turn; the work is warm afterwards."""
    for text in texts:
        work(text)
    once = min(_time(work, texts, 1)[1] for _ in range(3))
    return max(1, int(MIN_BATCH_S / max(once, 1e-6)))
