"""Shows progress on standard error. The library decides what is shown and when."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Callable

from ._core import EpochReport


def describe(report: EpochReport) -> str:
    """Returns one line of text about an epoch."""
    line = f"epoch {report.epoch}: loss {report.train_loss:.4f}"
    if report.dev is not None:
        line += f", on new data {report.dev.loss:.4f}"
        if report.dev.accuracy == report.dev.accuracy:  # not NaN
            line += f", accuracy {100 * report.dev.accuracy:.1f} %"
            if 0 < report.dev.roots < report.dev.labels:
                line += f" ({100 * report.dev.root_accuracy:.1f} % at the root)"
    line += "".join(f", {name} {value:.4f}" for name, value in report.metrics.items())
    return f"{line}; {report.samples_per_second:.0f} samples/s"


def _is_terminal() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except (OSError, ValueError):  # standard error is closed
        return False


def _write(text: str) -> None:
    if sys.stderr is None:  # a process without standard error, such as a daemon
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


class Output:
    """Writes lines to standard error, and below them draws a bar on a terminal or in a notebook.

    If standard error is closed or has no reader, nothing is shown, and training continues.
    """

    draw: Callable[[str], None] | None

    def __init__(self) -> None:
        kind = type(sys.stderr).__module__
        notebook = kind.startswith(("ipykernel", "google.colab"))
        terminal = _is_terminal() and os.environ.get("TERM", "dumb") != "dumb"
        self.width = 0  # number of characters of the bar that is shown
        self.draw = self._draw if notebook or terminal else None

    def _draw(self, text: str) -> None:
        text = text[: max(shutil.get_terminal_size().columns - 1, 1)]
        # Overwrites the old bar with blanks: notebooks support "\r", but no escape sequence that erases a line.
        _write("\r" + text.ljust(self.width) + ("\r" if not text else ""))
        self.width = len(text)

    def line(self, text: str) -> None:
        _write(text + "\n")

    def epoch(self, report: EpochReport) -> None:
        self.line(describe(report))
