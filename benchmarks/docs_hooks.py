"""What the site changes in the pages of docs/: links that lead out of it become plain text."""

import re

PLACES = "examples|benchmarks|src|tests|README|SECURITY|CONTRIBUTING"
OUTSIDE = re.compile(rf"\[([^\]]+)\]\((?:\.\./)+(?:{PLACES})[^)]*\)")


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace links to files of the repository, which the site does not hold, by their text."""
    return OUTSIDE.sub(r"`\1`", markdown)
