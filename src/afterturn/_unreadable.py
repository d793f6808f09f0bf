"""Says in words why a file cannot be read, and what to do."""

from __future__ import annotations


def why_unreadable(error: Exception) -> str:
    """Gives the reason, without a word of what the file holds.

    Example:
        >>> why_unreadable(FileNotFoundError())
        'there is no such file; check the path'
    """
    if isinstance(error, FileNotFoundError):
        return "there is no such file; check the path"
    if isinstance(error, IsADirectoryError):
        return "it is a folder; name a file in it"
    if isinstance(error, PermissionError):
        return "permission denied; change the rights of the file, or run as a user who may read it"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8; save it as UTF-8"
    told = error.strerror if isinstance(error, OSError) else None
    return f"{told or type(error).__name__}; check the disk or the network it is on"
