"""Makes data sets of trees (text or nested lists) and of JSON lines."""

from __future__ import annotations

import json
from typing import Any, Callable, Iterable, Mapping

import numpy as np

from ._core import Dataset, Error, load_data

_BLANKS = " \t\n\r\v\f"  # characters that end a word of a tree; a no-break space does not
_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"})


def _is_sequence(value: object) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def _atom(value: object, where: str) -> str:
    if isinstance(value, (str, int, np.integer)) and not isinstance(value, bool):
        text = str(value).translate(_ESCAPES)
        if text and not any(c in _BLANKS for c in text):
            return text
    raise Error(f"{where}: {value!r} is not a word or label; expected text without blanks, or an integer")


def _brackets(tree: object, where: str) -> str:
    """Returns a tree as text in brackets. There is no recursion, so trees may be arbitrarily deep."""
    parts: list[str] = []
    todo: list[object] = [tree]
    closing = object()
    while todo:
        item = todo.pop()
        if item is closing:
            parts.append(")")
        elif _is_sequence(item):
            parts.append("(")
            todo.append(closing)
            todo.extend(reversed(list(item)))  # type: ignore[call-overload]
        else:
            parts.append(_atom(item, where))
    return " ".join(parts)


def _lines(trees: str | Iterable[object], part: str) -> str:
    if isinstance(trees, str):
        return trees
    lines = []
    for i, tree in enumerate(trees):
        where = f"{part} tree {i}"
        if isinstance(tree, str):
            lines.append(tree)
        elif _is_sequence(tree):
            lines.append(_brackets(tree, where))
        else:
            raise Error(f"{where} is of type {type(tree).__name__}; expected a list, a tuple or text in brackets")
    return "\n".join(lines)


def from_trees(train: str | Iterable[object], dev: str | Iterable[object] | None = None, **options: Any) -> Dataset:
    """Makes a data set of trees: text in brackets, or a list of trees, each of them text or nested lists or tuples.

    The format is that of `trees:FILE`: `(3, (2, "It"), (4, "works"))` means `(3 (2 It) (4 works))`. The line in an
    error message is the number of the tree, from 1. Brackets inside words are escaped as in treebanks.

    options: options of load_data.
    """
    texts = {"train": _lines(train, "train")}
    if dev is not None:
        texts["dev"] = _lines(dev, "dev")
    return load_data("trees:train" if dev is None else "trees:train=train,dev=dev", texts=texts, **options)


def _not_finite(line: object, plain: Callable[[object], object]) -> str | None:
    """Returns place and value of the first number that is not finite, and so not JSON; None if all are finite."""
    todo: list[tuple[str, object]] = [("", line)]
    while todo:
        where, value = todo.pop()
        if isinstance(value, (np.ndarray, np.generic)):
            value = plain(value)
        if isinstance(value, float) and not np.isfinite(value):
            return f"{where} is {value}"
        if isinstance(value, Mapping):
            inside = [(f"port '{key}'" if where in ("'pull'", "'edges'") else f"'{key}'", v) for key, v in value.items()]
        elif isinstance(value, (list, tuple)):
            row = ", row {}" if where.count(",") == 0 else ", number {}"
            inside = [(where + row.format(i), v) for i, v in enumerate(value)]
        else:
            continue
        todo.extend(reversed(inside))
    return None


def from_jsonl(train: str | Iterable[Mapping[str, Any]], dev: str | Iterable[Mapping[str, Any]] | None = None,
               **options: Any) -> Dataset:
    """Makes a data set of JSON lines: text, or one dict per line, in the format of docs/reference/data-formats.md.

    Dicts may have NumPy arrays in place of lists.
    """
    def plain(value: object) -> object:
        if isinstance(value, (np.ndarray, np.generic)):
            return value.tolist()
        raise Error(f"{value!r} is of type {type(value).__name__}; expected a type of JSON: numbers, text, lists, dicts, None")

    def text(part: str | Iterable[Mapping[str, Any]]) -> str:
        return part if isinstance(part, str) else "\n".join(written(line, i) for i, line in enumerate(part, 1))

    def written(line: Mapping[str, Any], number: int) -> str:
        try:
            return json.dumps(line, default=plain, allow_nan=False)
        except ValueError as error:
            if (found := _not_finite(line, plain)) is None:
                raise
            raise Error(f"line {number}: {found}; expected finite numbers, or None for an absent row") from error
    texts = {"train": text(train)}
    if dev is not None:
        texts["dev"] = text(dev)
    return load_data("jsonl:train" if dev is None else "jsonl:train=train,dev=dev", texts=texts, **options)
