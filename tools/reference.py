"""Writes the references that are made from the code: docs/cli.md, docs/configuration.md, the JSON Schemas.

Usage::

    python tools/reference.py [--check]

`--check` writes nothing and ends with 1 where a file is not what the code says.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from afterturn.cli._app import app
from afterturn.config import Config, TenantConfig
from afterturn.gate import gate_schema

DOCS = Path(__file__).parents[1] / "docs"

CLI_HEAD = """# Command line

Made from the code by `tools/reference.py`; edit the commands, not this page.

Exit codes: 0 done (findings, and bad lines that were skipped and counted, included); 1 a check failed; 2 usage, or
input or output that cannot be used; 3 inconclusive.
"""

CONFIG_HEAD = """# Configuration

Made from the code by `tools/reference.py`; edit `config.py`, not this page.

Settings come from flags, then the environment, then a YAML file (`$AFTERTURN_CONFIG`, else `afterturn.yaml`
in the current folder), then the defaults. Lists and maps in the environment are JSON. The JSON Schema is
[configuration.schema.json](configuration.schema.json).

```yaml
db: afterturn.db
judge: encoder
tenants:
  acme:
    residency: local
event_names:
  session.title: conversation_titled
```
"""


def cli_reference() -> str:
    """Writes every command with its arguments and options."""
    group: Any = typer.main.get_command(app)  # typer's own copy of click; its classes are not importable by name
    return "\n".join([CLI_HEAD, *_commands(group, "")])


def _commands(group: Any, before: str) -> Iterator[str]:
    """Goes through the commands of a group, and of the groups in it, in order."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield _command(before + name, command)


def _command(name: str, command: Any) -> str:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option" and "--help" not in param.opts]
    usage = " ".join(["afterturn", name, *map(_usage, arguments), "[OPTIONS]"])
    rows = [(f"`{_usage(argument)}`", argument.help) for argument in arguments]
    rows += [(", ".join(f"`{one}`" for one in option.opts), option.help) for option in options]
    table = ["| | |", "|---|---|", *(f"| {what} | {meaning or ''} |" for what, meaning in rows)]
    return "\n".join([f"## {name}", "", (command.help or "").strip(), "", f"```sh\n{usage}\n```", "", *table, ""])


def _usage(argument: Any) -> str:
    name = f"{argument.name.upper()}{'…' if argument.nargs == -1 else ''}"
    return name if argument.required else f"[{name}]"


def config_reference() -> str:
    """Writes every setting with its default and its variable."""
    lines = [CONFIG_HEAD, "| setting | variable | default | meaning |", "|---|---|---|---|"]
    for name, field in Config.model_fields.items():
        default = json.dumps(field.get_default(call_default_factory=True), ensure_ascii=False)
        lines.append(f"| `{name}` | `AFTERTURN_{name.upper()}` | `{default}` | {field.description} |")
    lines += ["", "## A tenant's own settings (`tenants:`)", "", "| setting | meaning |", "|---|---|"]
    lines += [f"| `{name}` | {field.description} |" for name, field in TenantConfig.model_fields.items()]
    return "\n".join(lines) + "\n"


def schema() -> str:
    """Writes the JSON Schema of the configuration file."""
    described: dict[str, Any] = Config.model_json_schema()
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Writes the files, or checks them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    made = {
        DOCS / "cli.md": cli_reference(),
        DOCS / "configuration.md": config_reference(),
        DOCS / "configuration.schema.json": schema(),
        DOCS / "gate.schema.json": json.dumps(gate_schema(), indent=1, ensure_ascii=False) + "\n",
    }
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if check and stale:
        sys.exit(f"not what the code says: {', '.join(path.name for path in stale)}; run tools/reference.py")
    for path in [] if check else stale:
        path.write_text(made[path], encoding="utf-8")


if __name__ == "__main__":
    main()
