"""Is the ONE way to fail closed: whatever happens inside, what comes out is a decision, and it is no promotion.

Its opposite is `failopen.py`. A gate that crashed, hung or came to no end has blocked; only a decision that was really
reached, about every criterion, can let an agent pass.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def closed(work: Callable[[], T], otherwise: Callable[[str, str], T], *, timeout_s: float | None = None) -> T:
    """Does work that ends in a decision; where it does not, gives what stands for a refusal.

    Args:
        work: The work. It may raise anything and take forever.
        otherwise: Makes the decision that blocks, of a code (`crashed`, `timeout`) and words for a person. It gets the
            class of an error and never its text, which may hold text of a conversation.
        timeout_s: Seconds that it may take; None where it is part of work that has its own limit.

    Returns:
        What the work decided, or what `otherwise` made.

    Raises:
        KeyboardInterrupt: The person at the terminal ended it; the process ends, and so blocks.

    Example:
        >>> closed(lambda: 1 // 0, lambda code, told: f"{code}: {told}")
        'crashed: ZeroDivisionError'
    """
    if timeout_s is None:
        return _guarded(work, otherwise)
    done: list[T] = []
    # A daemon: a hung check must not keep the process, and with it the pipeline, from ending.
    thread = threading.Thread(target=lambda: done.append(_guarded(work, otherwise)), name="gate", daemon=True)
    thread.start()
    thread.join(timeout_s)
    if done:
        return done[0]
    if thread.is_alive():
        return otherwise("timeout", f"no decision within {timeout_s:g} s")
    return otherwise("crashed", "the check ended without a decision")


def _guarded(work: Callable[[], T], otherwise: Callable[[str, str], T]) -> T:
    try:
        return work()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # closed on purpose: SystemExit and a library's own BaseException block, too
        return otherwise("crashed", type(error).__name__)
