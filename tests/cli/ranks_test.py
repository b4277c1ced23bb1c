"""Training on several ranks that --launch starts: results have the bytes of one rank, and failures of a rank are
handled."""

import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from cavs_command import COMMAND, TestCase, cavs, one_object, read_bytes

TRAIN = ["train", "tree-lstm", "--data", "listops:train=100,test=20,length=20", "--hidden", "8", "--embedding", "4",
         "--batch-size", "4", "--accumulate", "6", "--dropout", "0.1", "--threads", "1"]
ENDLESS = [*TRAIN, "--epochs", "1000000"]


def children(process):
    """Returns the process ids of the ranks in order."""
    with open(f"/proc/{process}/task/{process}/children") as file:
        return sorted(int(child) for child in file.read().split())


def is_there(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class RanksTestCase(TestCase):
    def wait_for_end(self, ranks):
        """Waits for the ranks, which a killed launcher or mpirun does not do."""
        end = time.monotonic() + 60
        while any(is_there(r) for r in ranks):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)


class Ranks(RanksTestCase):
    def train(self, name, *arguments):
        file = self.path(name)
        cavs(*TRAIN, "--save", file, *arguments)
        return read_bytes(file)

    def test_any_number_writes_the_bytes_of_one(self):
        one = self.train("one.cavs", "--epochs", "3")
        for ranks in ("2", "3", "6"):
            self.assertEqual(self.train(f"{ranks}.cavs", "--epochs", "3", "--launch", ranks), one, ranks)

    def test_any_number_resumes_a_checkpoint_of_another(self):
        one = self.train("one.cavs", "--epochs", "3", "--ema", "0.9")
        self.train("a.cavs", "--epochs", "1", "--ema", "0.9", "--launch", "3")
        file = self.path("a.cavs")
        without_accumulate = [a for a in TRAIN if a not in ("--accumulate", "6")]  # the checkpoint has it
        cavs(*without_accumulate, "--epochs", "3", "--ema", "0.9", "--launch", "2", "--resume", file, "--save", file)
        self.assertEqual(read_bytes(file), one)

    def test_only_rank_0_prints(self):
        result = cavs(*TRAIN, "--epochs", "2", "--launch", "3", "--json")
        self.assertEqual(one_object(result.stdout)["ranks"], 3)
        self.assertRegex(result.stderr, r"3 ranks: \d+ % computing, \d+ % waiting for the slowest, \d+ % exchanging, ")
        self.assertEqual(result.stderr.count("steps per epoch"), 1)

    def test_a_common_error_is_printed_once(self):
        said = cavs(*TRAIN, "--launch", "3", "--resume", self.path("none.cavs"), check=1).stderr
        self.assertRegex(said, r"^cavs: error: rank 0 \(host [^)]+\): .*none\.cavs.*\n$")

    def test_too_many_ranks_get_a_message_with_the_command(self):
        said = cavs(*TRAIN, "--launch", "8", check=1).stderr
        self.assertIn("a step has 6 minibatches, but 8 ranks share the minibatches of a step; set accumulate to 8 "
                      "(32 samples per step), or accumulate to 8 and batch_size to 3 (24, as now)", said)

    def test_processes_of_a_launcher_do_not_train_separately_by_mistake(self):
        for variable, launcher in (("OMPI_COMM_WORLD_SIZE", "mpirun"), ("PMI_SIZE", "mpirun"),
                                   ("SLURM_STEP_NUM_TASKS", "srun"), ("WORLD_SIZE", "torchrun")):
            said = cavs(*TRAIN, check=2, variables={variable: "4"}).stderr
            self.assertIn(f"{launcher} has started 4 processes ({variable}), each of which would train alone", said)
            self.assertRegex(said, "'(mpirun|srun) -n 4 cavs train MODEL --distributed mpi --accumulate 4'")
        cavs(*TRAIN, "--epochs", "1", "--distributed", "none", variables={"OMPI_COMM_WORLD_SIZE": "4"})

    def test_launch_and_mpi_exclude_each_other(self):
        self.assertIn("leave one of the two out", cavs(*TRAIN, "--launch", "2", "--distributed", "mpi", check=2).stderr)


class LostRanks(RanksTestCase):
    def start(self, *arguments):
        """Starts a training on three ranks, and returns it with the processes of the ranks after an epoch is saved."""
        os.mkdir(self.path("saved"))
        self.file = self.path("saved/a.cavs")
        process = subprocess.Popen([COMMAND, *ENDLESS, "--launch", "3", "--save", self.file, *arguments],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        end = time.monotonic() + 120
        while not os.path.exists(self.file):
            self.assertIsNone(process.poll(), "ended too early")
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)
        return process, children(process.pid)

    def ends(self, process, ranks, code=1):
        """Returns the log. Checks that no rank is left and that the checkpoint is complete."""
        said = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, code, said)
        self.assertEqual([r for r in ranks if is_there(r)], [])
        cavs(*TRAIN, "--epochs", "1", "--resume", self.file)
        return said.splitlines()

    def test_a_killed_rank_ends_all(self):
        process, ranks = self.start()
        os.kill(ranks[1], signal.SIGKILL)
        self.assertRegex(self.ends(process, ranks)[-1],
                         r"error: rank 1 \(host [^)]+\) was killed by signal 9 \(Killed\); "
                         "the system does that when memory runs out")

    def test_a_stopped_rank_ends_all_after_the_timeout(self):
        process, ranks = self.start("--timeout", "2")
        os.kill(ranks[1], signal.SIGSTOP)
        self.assertRegex(self.ends(process, ranks)[-1], r"error: rank 1 \(host [^)]+\) sent nothing for 2 s in .+")

    def test_ranks_end_with_their_parent(self):
        process, ranks = self.start()
        process.kill()
        process.wait()
        self.wait_for_end(ranks)

    def test_a_signal_to_the_parent_reaches_each_rank_once(self):
        process, ranks = self.start()
        process.send_signal(signal.SIGUSR1)
        process.send_signal(signal.SIGINT)
        self.assertRegex("\n".join(self.ends(process, ranks, code=0)), r"SIGINT: stopped in epoch \d+ after \d+ of 100")

    def test_a_signal_to_one_rank_stops_all_after_the_same_step(self):
        process, ranks = self.start()
        os.kill(ranks[2], signal.SIGTERM)
        self.ends(process, ranks, code=0)

    def test_a_failed_save_on_rank_0_ends_all(self):
        process, ranks = self.start()
        os.rename(self.path("saved"), self.path("elsewhere"))
        said = process.communicate(timeout=120)[1].splitlines()
        self.assertEqual(process.returncode, 1)
        self.assertRegex(said[-1], r"error: rank 0 \(host [^)]+\): .*a\.cavs")
        self.assertEqual([r for r in ranks if is_there(r)], [])


def built_with_mpi():
    """Returns the reason why the tests cannot run, or ""."""
    if shutil.which("mpirun") is None:
        return "mpirun is not installed (Debian: openmpi-bin)"
    said = cavs(*TRAIN, "--distributed", "mpi", check=1).stderr
    return "cavs was built without MPI" if "built without MPI" in said else ""


MPI = built_with_mpi()


@unittest.skipIf(MPI, MPI)
class MpiRanks(RanksTestCase):
    def run_mpi(self, ranks, *arguments, check=0):
        """Returns the output of all ranks and of mpirun."""
        process = self.start_mpi(ranks, *arguments)
        said = process.communicate(timeout=120)[0]
        self.assertEqual(process.returncode, check, said)
        return said

    def start_mpi(self, ranks, *arguments):
        process = subprocess.Popen(["mpirun", "--oversubscribe", "-n", str(ranks), COMMAND, *TRAIN, *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={
            **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_write_the_bytes_of_one(self):
        one = self.path("one.cavs")
        cavs(*TRAIN, "--epochs", "2", "--save", one)
        for ranks in (2, 3):
            file = self.path(f"{ranks}.cavs")
            said = self.run_mpi(ranks, "--distributed", "mpi", "--epochs", "2", "--save", file)
            self.assertEqual(read_bytes(file), read_bytes(one), ranks)
            self.assertEqual(said.count("steps per epoch"), 1)

    def test_an_error_is_printed_once(self):
        said = self.run_mpi(2, "--distributed", "mpi", "--resume", self.path("none.cavs"), check=1)
        self.assertEqual(re.findall(r"error: rank 0 \(host [^)]+\): .*none\.cavs", said)[1:], [])
        self.assertEqual(said.count("cavs: error"), 1)

    def test_without_the_option_they_do_not_train_separately(self):
        said = self.run_mpi(2, check=2)
        self.assertIn("mpirun has started 2 processes (OMPI_COMM_WORLD_SIZE), each of which would train alone", said)

    def test_one_process_reports_how_to_start(self):
        self.assertIn("mpirun -n 4 cavs train MODEL --distributed mpi --accumulate 4",
                      cavs(*TRAIN, "--distributed", "mpi", check=1).stderr)

    def test_a_stopped_rank_ends_all(self):
        file = self.path("a.cavs")
        process = self.start_mpi(3, "--distributed", "mpi", "--epochs", "1000000", "--timeout", "2", "--save", file)
        while not os.path.exists(file):
            self.assertIsNone(process.poll())
            time.sleep(0.01)
        ranks = children(process.pid)
        os.kill(ranks[1], signal.SIGSTOP)
        said = process.communicate(timeout=120)[0]
        self.assertRegex(said, r"error: rank \d \(host [^)]+\) sent nothing for 2 s in .+")
        self.wait_for_end(ranks)
        cavs(*TRAIN, "--epochs", "1", "--resume", file)


if __name__ == "__main__":
    unittest.main()
