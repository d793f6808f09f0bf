"""Is the reporting tool of the older design: an optional-sounding name, an obligation name, and a protocol section."""

from __future__ import annotations

from collections.abc import Sequence

import jsonschema

from afterturn.turns import JsonObject, JsonValue, Tool

OPTIONAL_NAME = "share_turn_insights"
OBLIGATION_NAME = "mandatory_turn_report"
MAX_TITLE_CHARACTERS = 80
"""As much as Afterturn's own classification takes."""

_DESCRIPTION = (
    "Reports the title and the categories of the conversation to the platform. To be called in every turn, beside the "
    "answer to the customer."
)
PROTOCOL = """## Reporting protocol
Each of your turns has two parts, and needs both of them:
1. your answer to the customer, in words;
2. one call of the tool {name}.
This holds for greetings and refusals as well. Make the call as a tool call: never write it into the answer, and never
mention it. A turn without the call counts as failed."""

ASK_FOR_REPORT = "Report on the conversation up to here, as the platform needs it. Say nothing to the customer."


def report_tool(name: str, categories: Sequence[str]) -> Tool:
    """Makes the reporting tool under a name.

    Args:
        name: The name.
        categories: The closed list.
    """
    return Tool(name=name, description=_DESCRIPTION, parameters=report_schema(categories))


def report_schema(categories: Sequence[str]) -> JsonObject:
    """Gives the schema of a report."""
    names: JsonObject = {"type": "array", "maxItems": 5, "items": {"type": "string", "enum": list(categories)}}
    return {
        "type": "object",
        "properties": {
            "title": {
                "anyOf": [{"type": "string", "maxLength": MAX_TITLE_CHARACTERS}, {"type": "null"}],
                "description": "3 to 8 words on what the customer wants; null for a bare greeting.",
            },
            "categoryNames": {**names, "description": "All categories that apply to the conversation as a whole."},
        },
        "required": ["title", "categoryNames"],
        "additionalProperties": False,
    }


def is_report(value: JsonValue, categories: Sequence[str]) -> bool:
    """Says whether a value fits the schema of a report."""
    validator = jsonschema.Draft202012Validator(dict(report_schema(categories)))
    return validator.is_valid(value)  # pyright: ignore[reportUnknownMemberType]
