"""Forked and spawned processes: graphs and models are sent to workers; objects with threads raise errors there."""

import copy
import multiprocessing
import os
import pathlib
import pickle
import tempfile
import threading
import time
import unittest

import numpy as np

import cavs
from models import tree_lstm

SPEC = "random-trees:train=60,test=10,leaves=5,vocabulary=20"
STATE = {}  # objects that a fork inherits


class Samples:
    """A data set as torch's DataLoader uses it: samples by number, in a worker."""

    def __init__(self, graphs):
        self.graphs = graphs

    def __len__(self):
        return len(self.graphs)

    def __getitem__(self, i):
        return self.graphs[i]


def load_batches(samples, batches, out):
    """Like a worker of a DataLoader: selects samples by number, joins them and sends them back."""
    for numbers in iter(batches.get, None):
        out.put(cavs.Graphs.concat([samples[i] for i in numbers]))


def train_alone(path, out):
    """Trains in a child process, with a trainer and threads of its own."""
    data = cavs.load_data(SPEC)
    trainer = cavs.Trainer(model(data), data, batch_size=10, threads=2)
    losses = [trainer.step().loss for _ in range(3)]
    trainer.save(path)
    out.put(losses)


def use_of_parent(name, out):
    """Uses an object of the parent in a fork."""
    try:
        out.put(("done", STATE[name]()))
    except cavs.Error as error:
        out.put(("refused", str(error)))


def model(data):
    return tree_lstm(6, 8, data.rows("word"), data.classes)


class Case(unittest.TestCase):
    def run_process(self, method, target, *arguments):
        context = multiprocessing.get_context(method)
        out = context.Queue()
        process = context.Process(target=target, args=(*arguments, out))
        process.start()
        try:
            return out.get(timeout=60)
        finally:
            process.join(timeout=20)
            hung = process.is_alive()
            process.kill()
            self.assertFalse(hung, "the process has not ended")
            self.assertEqual(process.exitcode, 0)


class Loading(Case):
    def test_workers_send_graphs(self):
        data = cavs.load_data(SPEC)
        expected = data.train[[5, 1, 59]]
        for method in ("fork", "spawn"):
            with self.subTest(method):
                context = multiprocessing.get_context(method)
                batches, out = context.Queue(), context.Queue()
                trainer = cavs.Trainer(model(data), data, threads=2)  # threads of the parent, while it forks
                trainer.step()
                worker = context.Process(target=load_batches, args=(Samples(data.train), batches, out))
                worker.start()
                batches.put([5, 1, 59]), batches.put(range(60)), batches.put(None)
                first, all_of_them = out.get(timeout=60), out.get(timeout=60)
                worker.join(timeout=20)
                self.assertEqual(worker.exitcode, 0)
                for port in ("word", "label"):
                    np.testing.assert_array_equal(first[port], expected[port])
                    np.testing.assert_array_equal(all_of_them[port], data.train[port])
                self.assertGreater(trainer.step().loss, 0)

    def test_a_process_trains_for_itself(self):
        data = cavs.load_data(SPEC)
        trainer = cavs.Trainer(model(data), data, batch_size=10, threads=2)
        expected = [trainer.step().loss for _ in range(4)]
        with tempfile.TemporaryDirectory() as folder:
            for method in ("fork", "spawn"):
                with self.subTest(method):
                    path = f"{folder}/{method}"
                    self.assertEqual(self.run_process(method, train_alone, path), expected[:3])
                    again = cavs.Trainer(model(data), data, batch_size=10)
                    again.resume(path)
                    self.assertEqual(again.step().loss, expected[3])


class Forks(Case):
    """A fork does not have its parent's threads, so waiting for them would never end."""

    def in_fork(self, use):
        STATE["use"] = use
        self.addCleanup(STATE.clear)
        return self.run_process("fork", use_of_parent, "use")

    def setUp(self):
        self.data = cavs.load_data(SPEC)

    def test_a_trainer_with_threads_is_refused(self):
        trainer = cavs.Trainer(model(self.data), self.data, threads=2, batch_size=10)
        trainer.step()
        what, message = self.in_fork(lambda: trainer.step().loss)
        self.assertEqual(what, "refused")
        self.assertRegex(message, f"several threads was made in process {os.getpid()}.*spawn")
        self.assertGreater(trainer.step().loss, 0)

    def test_a_trainer_of_one_thread_goes_on_in_both(self):
        trainer = cavs.Trainer(model(self.data), self.data, batch_size=10)
        trainer.step()
        what, loss = self.in_fork(lambda: trainer.step().loss)
        self.assertEqual((what, loss), ("done", trainer.step().loss))

    def test_a_trainer_that_has_begun_a_step_is_refused(self):
        trainer = cavs.Trainer(model(self.data), self.data, batch_size=10)
        running = trainer.start()
        what, message = self.in_fork(lambda: trainer.steps)
        self.assertEqual(what, "refused")
        self.assertRegex(message, r"begun with start\(\)|in use")
        running.wait()
        what, message = self.in_fork(lambda: trainer.step().loss)
        self.assertEqual(what, "refused", message)
        self.assertGreater(trainer.step().loss, 0)

    def test_a_trained_model_predicts_in_both(self):
        trained = cavs.fit(model(self.data), self.data, epochs=1, progress=False)
        for threads in (1, 2):
            here = trained.predict(self.data.dev, threads=threads)["logits"]
            what, there = self.in_fork(lambda: trained.predict(self.data.dev, threads=1)["logits"])
            self.assertEqual(what, "done", there)
            np.testing.assert_array_equal(there, here)

    def test_a_fork_that_deletes_objects_with_threads_ends(self):
        trainer = cavs.Trainer(model(self.data), self.data, threads=3)
        trainer.start().wait()
        held = [trainer]
        del trainer

        def let_go():
            held.clear()
            return "gone"
        self.assertEqual(self.in_fork(let_go), ("done", "gone"))
        self.assertGreater(held[0].step().loss, 0)


class Sending(Case):
    def test_a_trainer_is_not_pickled_nor_copied(self):
        data = cavs.load_data(SPEC)
        for send in (pickle.dumps, copy.copy, copy.deepcopy):
            with self.assertRaisesRegex(TypeError, "a Trainer cannot be pickled, copied.*: save"):
                send(cavs.Trainer(model(data), data))


class Lock(unittest.TestCase):
    def test_other_threads_run_during_a_step(self):
        data = cavs.load_data("random-trees:train=256,test=0,leaves=40,vocabulary=50")
        trainer = cavs.Trainer(tree_lstm(64, 128, data.rows("word"), data.classes), data, batch_size=256)
        ticks, stop = [], threading.Event()

        def tick():
            while not stop.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)
        thread = threading.Thread(target=tick)
        thread.start()
        begin = time.monotonic()
        trainer.step()
        end = time.monotonic()
        stop.set(), thread.join()
        self.assertGreater(sum(begin < t < end for t in ticks), 1, f"a step of {end - begin:.3f} s")


class Memory(unittest.TestCase):
    def test_does_not_grow_over_many_tiny_steps(self):
        data = cavs.load_data("random-trees:train=64,test=0,leaves=2,vocabulary=10")
        trainer = cavs.Trainer(tree_lstm(4, 4, data.rows("word"), data.classes), data, batch_size=1)
        statm = pathlib.Path("/proc/self/statm")
        if not statm.exists():
            self.skipTest("no /proc/self/statm")
        if "libasan" in os.environ.get("LD_PRELOAD", ""):
            self.skipTest("AddressSanitizer keeps memory that was freed")

        def resident():
            return int(statm.read_text().split()[1])
        for _ in range(2000):
            trainer.step()
        before = resident()
        for _ in range(int(os.environ.get("CAVS_TINY_STEPS", 10_000))):
            trainer.step()
        self.assertLess(resident() / before, 1.01)


if __name__ == "__main__":
    unittest.main()
