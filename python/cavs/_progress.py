"""Where progress is shown: the library says what, and when."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Callable

from ._core import EpochReport


def describe(report: EpochReport) -> str:
    """One line for an epoch."""
    line = f"epoch {report.epoch}: loss {report.train_loss:.4f}"
    if report.dev is not None:
        line += f", on new data {report.dev.loss:.4f}"
        if report.dev.accuracy == report.dev.accuracy:  # not NaN
            line += f", accuracy {100 * report.dev.accuracy:.1f} %"
    line += "".join(f", {name} {value:.4f}" for name, value in report.metrics.items())
    return f"{line}; {report.samples_per_second:.0f} samples/s"


def _is_terminal() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except (OSError, ValueError):  # it is closed
        return False


def _write(text: str) -> None:
    if sys.stderr is None:  # a process without one, such as a daemon
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


class Output:
    """Lines on standard error, and above them a bar where one can be drawn: on a terminal and in a notebook.

    Where standard error is closed, or nobody reads it any more, nothing is shown, and training goes on.
    """

    draw: Callable[[str], None] | None

    def __init__(self) -> None:
        kind = type(sys.stderr).__module__
        notebook = kind.startswith(("ipykernel", "google.colab"))
        terminal = _is_terminal() and os.environ.get("TERM", "dumb") != "dumb"
        self.width = 0  # of the bar that is there
        self.draw = self._draw if notebook or terminal else None

    def _draw(self, text: str) -> None:
        text = text[: max(shutil.get_terminal_size().columns - 1, 1)]
        # Blanks, not a code that erases: notebooks know the return to the line's begin alone.
        _write("\r" + text.ljust(self.width) + ("\r" if not text else ""))
        self.width = len(text)

    def line(self, text: str) -> None:
        _write(text + "\n")

    def epoch(self, report: EpochReport) -> None:
        self.line(describe(report))
