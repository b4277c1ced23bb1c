"""Tests of ranks that a launcher starts, for all adapters of cavs.distributed."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from typing import Any

PROGRAM = pathlib.Path(__file__).parent / "rank_program.py"


def is_there(process: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class RankCase(unittest.TestCase):
    way = ""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "a.cavs")

    def command(self, ranks: int) -> list[Any]:
        """The command that starts this number of Python processes."""
        raise NotImplementedError

    def variables(self) -> dict[str, str]:
        return {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(PROGRAM.parent), *sys.path])}

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen([*map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env={**os.environ, **self.variables()})

    def run_ranks(self, ranks: int, *arguments: object, code: int = 0) -> str:
        process = self.start(*self.command(ranks), PROGRAM, *arguments)
        said = process.communicate(timeout=300)[0]
        self.assertEqual(process.returncode == 0, code == 0, said)
        return said

    def files(self) -> list[bytes]:
        return [pathlib.Path(self.file + end).read_bytes() for end in ("", ".best")]

    def check_bytes(self) -> None:
        subprocess.run([sys.executable, PROGRAM, "none", self.file], check=True, capture_output=True,
                       env={**os.environ, **self.variables()})
        one = self.files()
        for ranks in (2, 3):
            self.run_ranks(ranks, self.way, self.file)
            self.assertEqual(self.files(), one, ranks)

    def check_without_job(self, launcher: str) -> None:
        said = self.run_ranks(2, "missing", self.file, code=1)
        self.assertIn(f"{launcher} has started 2 processes", said)
        self.assertIn(f"pass job=cavs.distributed.{self.way}() in all of them, or job=False", said)

    def check_lost_rank(self, number: int, expected: str, kills_stopped: bool = True) -> None:
        """Sends a signal to one rank; all ranks must end, and one must print the reason.

        kills_stopped: True if the launcher soon kills a rank that is stopped.
        """
        process = self.start(*self.command(3), PROGRAM, self.way, self.file, 3, 1000000)
        while not os.path.exists(self.file):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        ranks = [int(pathlib.Path(f"{self.file}.{rank}").read_text()) for rank in range(3)]
        begin = time.monotonic()
        os.kill(ranks[1], number)
        if not kills_stopped:
            while is_there(ranks[0]) or is_there(ranks[2]):
                self.assertLess(time.monotonic() - begin, 60, "a rank is left")
                time.sleep(0.01)
            os.kill(ranks[1], signal.SIGKILL)
        said = process.communicate(timeout=120)[0]
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(said, expected)
        while any(is_there(r) for r in ranks):
            self.assertLess(time.monotonic() - begin, 60, "a rank is left")
            time.sleep(0.01)


STOPPED = r"rank 1 \(host [^)]+\) (sent nothing for 3 s|has ended) in .+"
KILL, STOP = signal.SIGKILL, signal.SIGSTOP
