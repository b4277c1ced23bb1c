"""cavs.distributed.torch between network namespaces: a slow network, an interface that goes down, a stopped peer."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).parent.parent))

from rank_cases import PROGRAM, RankCase  # noqa: E402

RANKS = 2


def ip(*arguments: str, check: bool = True) -> None:
    subprocess.run(["ip", *arguments], check=check, capture_output=True)


def why_not() -> str:
    """The reason why namespaces cannot be made; empty if they can."""
    if shutil.which("ip") is None or shutil.which("tc") is None:
        return "SKIPPED: ip or tc is not installed (Debian: iproute2)"
    name = f"cavs-try-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode != 0:
        return "SKIPPED: 'ip netns add' is not allowed here"
    ip("netns", "del", name)
    return ""


WHY_NOT = why_not()


@unittest.skipIf(WHY_NOT, WHY_NOT)
class NetworkRanks(RankCase):
    def setUp(self) -> None:
        """One namespace per rank, all on one bridge."""
        super().setUp()
        self.bridge = f"cv{os.getpid() % 100000}"
        ip("link", "add", self.bridge, "type", "bridge")
        self.addCleanup(ip, "link", "del", self.bridge, check=False)
        ip("link", "set", self.bridge, "up")
        for rank in range(RANKS):
            space, inside, outside = self.space(rank), f"{self.bridge}i{rank}", f"{self.bridge}o{rank}"
            ip("netns", "add", space)
            self.addCleanup(ip, "netns", "del", space, check=False)
            ip("link", "add", inside, "type", "veth", "peer", "name", outside)
            self.addCleanup(ip, "link", "del", outside, check=False)
            ip("link", "set", outside, "master", self.bridge, "up")
            ip("link", "set", inside, "netns", space)
            ip("-n", space, "addr", "add", f"10.77.0.{rank + 1}/24", "dev", inside)
            ip("-n", space, "link", "set", inside, "up")
            ip("-n", space, "link", "set", "lo", "up")

    def space(self, rank: int) -> str:
        return f"{self.bridge}n{rank}"

    def start_ranks(self, *arguments: object) -> list[subprocess.Popen[str]]:
        """Starts the ranks with the environment of torchrun."""
        processes = []
        for rank in range(RANKS):
            variables = {**os.environ, **self.variables(), "RANK": str(rank), "WORLD_SIZE": str(RANKS),
                         "LOCAL_RANK": "0", "MASTER_ADDR": "10.77.0.1", "MASTER_PORT": "29511",
                         "TORCHELASTIC_RUN_ID": "none", "GLOO_SOCKET_IFNAME": f"{self.bridge}i{rank}"}
            command = ["ip", "netns", "exec", self.space(rank), sys.executable, PROGRAM, "torch", self.file]
            process = subprocess.Popen([*map(str, [*command, *arguments])], stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True, env=variables)
            self.addCleanup(process.communicate)
            self.addCleanup(process.kill)
            processes.append(process)
        return processes

    def started(self) -> list[subprocess.Popen[str]]:
        """Starts endless training with a timeout of 3 seconds, and returns after the first epoch is saved."""
        processes = self.start_ranks(3, 1000000)
        while not os.path.exists(self.file):
            for process in processes:
                self.assertIsNone(process.poll(), "ended too early")
            time.sleep(0.01)
        return processes

    def ends(self, process: subprocess.Popen[str], expected: str) -> None:
        said = process.communicate(timeout=60)[0]
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(said, expected)

    def test_a_slow_network_changes_no_bit(self) -> None:
        subprocess.run([sys.executable, PROGRAM, "none", self.file], check=True, capture_output=True,
                       env={**os.environ, **self.variables()})
        one = self.files()
        for rank in range(RANKS):
            subprocess.run(["ip", "netns", "exec", self.space(rank), "tc", "qdisc", "add", "dev", f"{self.bridge}i{rank}",
                            "root", "tbf", "rate", "200mbit", "burst", "256kb", "latency", "50ms"], check=True)
        for process in self.start_ranks(60):
            self.assertEqual(process.wait(timeout=300), 0)
        self.assertEqual(self.files(), one)

    def test_an_interface_that_goes_down_ends_all(self) -> None:
        processes = self.started()
        ip("-n", self.space(1), "link", "set", f"{self.bridge}i1", "down")
        for rank, process in enumerate(processes):
            self.ends(process, rf"rank {1 - rank} \(host [^)]+\) (sent nothing for 3 s|has ended) in .+")

    def test_a_peer_that_stops_ends_the_others(self) -> None:
        processes = self.started()
        processes[1].send_signal(signal.SIGSTOP)  # `ip netns exec` has replaced itself with the program
        self.ends(processes[0], r"rank 1 \(host [^)]+\) (sent nothing for 3 s|has ended) in .+")


if __name__ == "__main__":
    unittest.main()
