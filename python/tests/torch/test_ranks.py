"""cavs.distributed.torch under torchrun: Gloo transports the bytes, and the results have the bits of one process."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Any

sys.path.append(str(pathlib.Path(__file__).parent.parent))

from rank_cases import KILL, PROGRAM, STOP, STOPPED, RankCase  # noqa: E402


class TorchRanks(RankCase):
    way = "torch"

    def command(self, ranks: int) -> list[Any]:
        return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", ranks]

    def test_write_the_same_bytes_as_one_rank(self) -> None:
        self.check_bytes()

    def test_do_not_train_alone_by_mistake(self) -> None:
        self.check_without_job("torchrun")

    def test_without_torchrun_see_the_command_to_use(self) -> None:
        said = subprocess.run([sys.executable, PROGRAM, "torch", self.file], capture_output=True, text=True).stderr
        self.assertIn("torchrun --nproc-per-node 4 train.py", said)

    def test_that_are_killed_end_all(self) -> None:
        self.check_lost_rank(KILL, r"rank 1 \(host [^)]+\) has ended in .+")

    def test_that_are_stopped_end_all(self) -> None:
        self.check_lost_rank(STOP, STOPPED, kills_stopped=False)  # after half a minute
