"""cavs.distributed: jobs of mpi4py, and of any object that transports bytes."""

import importlib.util
import os
import shutil
import sys
import sysconfig
import threading
import unittest

import cavs
import cavs.distributed
from cases import SPEC
from models import tree_lstm
from rank_cases import KILL, STOP, STOPPED, RankCase

MPIRUN = shutil.which("mpirun", path=sysconfig.get_path("scripts")) or shutil.which("mpirun")
WHY_NO_MPI = "" if importlib.util.find_spec("mpi4py") and MPIRUN else "mpi4py or mpirun is not installed"


class Board:
    """Transports bytes between threads."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.messages = {}
        self.changed = threading.Condition()

    def carrier(self, number):
        board = self

        class Carrier:
            rank, ranks = number, board.ranks

            def exchange(self, sends, receives):
                with board.changed:
                    for peer, memory in sends:
                        board.messages.setdefault((number, peer), []).append(bytes(memory))
                    board.changed.notify_all()
                    for peer, memory in receives:
                        if not board.changed.wait_for(lambda: board.messages.get((peer, number)), timeout=20):
                            return [peer], "sent nothing for 20 s"
                        memory[:] = board.messages[peer, number].pop(0)

        return Carrier()


def on_ranks(count, work):
    """Calls work(job) on one thread per rank; returns results and exceptions."""
    board, results = Board(count), [None] * count

    def run(rank):
        try:
            results[rank] = work(cavs.Job(board.carrier(rank)))
        except Exception as error:
            results[rank] = error

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class Jobs(unittest.TestCase):
    def train(self, job, seed=1, **options):
        data = cavs.load_data(SPEC)
        model = tree_lstm(6, 8, data.rows("word"), data.classes)
        trained = cavs.fit(model, data, epochs=2, batch_size=4, accumulate=4, job=job, seed=seed, progress=False, **options)
        return {name: values.tobytes() for name, values in trained.parameters.items()}

    def test_train_with_the_bits_of_one_rank(self):
        one = self.train(False)
        self.assertEqual(on_ranks(3, self.train), [one] * 3)

    def test_name_the_rank_that_differs(self):
        for error in on_ranks(2, lambda job: self.train(job, seed=1 + job.rank)):
            self.assertIsInstance(error, cavs.Error)
            self.assertRegex(str(error), r"rank 1 \(host [^)]+\) has seed 2, but rank 0 has 1")

    def test_end_if_one_rank_raises(self):
        def step(job):
            def interrupt(report):
                if job.rank == 1:
                    raise LookupError("enough")
            return self.train(job, on_step=interrupt)

        first, second = on_ranks(2, step)
        self.assertIsInstance(second, LookupError)
        self.assertRegex(str(first), r"(?s)rank 1 \(host [^)]+\): .*LookupError: enough")

    def test_end_if_a_callback_of_one_rank_stops(self):
        def until(job):
            reports = []
            self.train(job, on_step=lambda report: reports.append(report) or (job.rank == 1 and len(reports) == 2))
            return len(reports)

        self.assertEqual(on_ranks(2, until), [3, 3])

    def test_name_the_rank_that_is_lost(self):
        class Silent:
            rank, ranks = 0, 2

            def exchange(self, sends, receives):
                return [1], "sent nothing for 3 s"

        with self.assertRaisesRegex(cavs.Error, "rank 1 sent nothing for 3 s in the first meeting"):
            cavs.Job(Silent())

    def test_raise_what_a_transport_raises(self):
        class Broken:
            rank, ranks = 0, 2

            def exchange(self, sends, receives):
                raise OSError("no cable")

        with self.assertRaisesRegex(OSError, "no cable"):
            cavs.Job(Broken())

    def test_are_made_by_cavs_distributed(self):
        data = cavs.load_data(SPEC)
        with self.assertRaisesRegex(TypeError, "option 'job' of Trainer is 3, of type int; expected a Job of cavs.distributed"):
            cavs.Trainer(tree_lstm(6, 8, data.rows("word"), data.classes), data, job=3)


@unittest.skipIf(WHY_NO_MPI, WHY_NO_MPI)
class MpiRanks(RankCase):
    way = "mpi"

    def command(self, ranks):
        return [MPIRUN, "--oversubscribe", "-n", ranks, sys.executable]

    def variables(self):
        return {**super().variables(), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def test_write_the_same_bytes_as_one_rank(self):
        self.check_bytes()

    def test_do_not_train_alone_by_mistake(self):
        self.check_without_job("mpirun")

    def test_that_are_killed_end_all(self):
        self.check_lost_rank(KILL, "(?i)signal|abort|exited")

    def test_that_are_stopped_end_all(self):
        self.check_lost_rank(STOP, STOPPED)


if __name__ == "__main__":
    unittest.main()
