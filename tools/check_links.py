"""Checks that every relative link in the Markdown files leads to a file, and to a heading where it names one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"(?ms)^```.*?^```")


def broken(path: Path) -> list[str]:
    """Lists the links of a file that lead nowhere."""
    found: list[str] = []
    for target in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        file, _, heading = target.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        place = path.parent / file if file else path
        if not place.exists() or (heading and heading not in _headings(place)):
            found.append(f"{path.relative_to(ROOT)}: {target}")
    return found


def _headings(path: Path) -> set[str]:
    titles = re.findall(r"(?m)^#+ (.+)$", path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def main() -> None:
    """Ends with 1 and the list where a link is broken."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wrong = [link for name in listed.split("\n") if name for link in broken(ROOT / name)]
    if wrong:
        sys.exit("links that lead nowhere:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
