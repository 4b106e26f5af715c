"""A tutorial as a notebook: the same text, its examples as cells, what the page shows as output.

The outputs are those that tests compare when they execute the page (``tests/docs``).
"""

from __future__ import annotations

import doctest
import json
import re
from typing import Any

_PYTHON = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def notebook(text: str) -> str:
    """Return a page of Markdown as a notebook (nbformat 4.5).

    >>> cells = json.loads(notebook("# A\\n\\n```python\\n>>> 1 + 1\\n2\\n```\\n"))["cells"]
    >>> [cell["source"] for cell in cells], cells[1]["outputs"][0]["text"]
    (['# A', '1 + 1'], '2\\n')
    """
    cells: list[dict[str, Any]] = []

    def add(kind: str, source: str, **more: Any) -> None:
        if source:
            same = {"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}}
            cells.append(same | {"source": source} | more)

    end = 0
    for found in _PYTHON.finditer(text):
        add("markdown", _prose(text[end : found.start()]))
        end = found.end()
        sources: list[str] = []
        wanted = ""
        for example in doctest.DocTestParser().get_examples(found[1]):
            sources.append(example.source.rstrip("\n"))
            wanted += example.want
            if example.want:
                _code(add, "\n".join(sources), wanted, refused=example.exc_msg is not None)
                sources, wanted = [], ""
        _code(add, "\n".join(sources), wanted)
    add("markdown", _prose(text[end:]))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1)


def _prose(text: str) -> str:
    return re.sub(r"\]\(([^):]+)\.md(#[^)]*)?\)", r"](\1.html\2)", text).strip()


def _code(add: Any, source: str, wanted: str, *, refused: bool = False) -> None:
    shown = [{"output_type": "stream", "name": "stdout", "text": wanted}] if wanted else []
    # "Run all" stops at an exception unless its cell says that one is meant
    tags = {"tags": ["raises-exception"]} if refused else {}
    add("code", source, execution_count=None, outputs=shown, metadata=tags)
