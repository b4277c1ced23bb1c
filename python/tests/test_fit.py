"""cavs.fit and Trainer.fit: progress, callbacks, metrics, early stopping, the best epoch; pending steps."""

import contextlib
import io
import math
import os
import pty
import re
import subprocess
import sys
import threading
import unittest

import numpy as np

import cavs
from cases import SPEC, FitCase

PROGRAM = """
import sys, cavs
sys.path.insert(0, {tests!r})
from models import tree_lstm
data = cavs.load_data({spec!r})
trained = cavs.fit(tree_lstm(8, 8, data.rows("word"), data.classes), data, epochs=2, batch_size=1{options})
print("done")
"""

UNFINISHED = """
import os, sys, time, cavs
sys.path.insert(0, {tests!r})
from models import tree_lstm
data = cavs.load_data({spec!r})

def samples():
    time.sleep(0.3)
    yield from (data.train[i] for i in range(100))

trainer = cavs.Trainer(tree_lstm(4, 4, data.rows("word"), data.classes),
                       cavs.Dataset.from_generator(samples, samples=100, words=data.words), batch_size=100)
running = trainer.start()
print("begun", flush=True)
"""


class ProgressIsShown(FitCase):
    def run_program(self, terminal, options="", term="xterm"):
        program = PROGRAM.format(tests=os.path.dirname(os.path.abspath(__file__)), spec=SPEC, options=options)
        reader, writer = pty.openpty() if terminal else os.pipe()
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=writer,
                                   env={**os.environ, "TERM": term, "COLUMNS": "60"})
        os.close(writer)
        shown = b""
        with contextlib.suppress(OSError):  # a terminal whose other end is closed
            while piece := os.read(reader, 65536):
                shown += piece
        os.close(reader)
        output = process.communicate(timeout=120)[0].decode()
        self.assertEqual((process.returncode, output), (0, "done\n"), shown.decode())
        return shown.decode()

    def test_as_a_bar_on_a_terminal(self):
        shown = self.run_program(terminal=True)
        bars = re.findall(r"\r(epoch \d/2 ▕.{16}▏ +\d+ %[^\r]*)", shown)
        self.assertGreater(len(bars), 0, shown)
        self.assertLess(max(map(len, bars)), 60)
        self.assertRegex(bars[0], "samples/s")
        self.assertRegex(shown, r"\r {20,}\repoch 1: loss", "the line of an epoch takes the place of the bar")

    def test_as_lines_elsewhere_and_not_at_all_if_progress_is_false(self):
        for terminal, term in ((False, "xterm"), (True, "dumb")):
            shown = self.run_program(terminal, term=term)
            self.assertRegex(shown, r"^epoch 1: loss \d+\.\d{4}, on new data .*, accuracy .* % \(.* % at the root\); \d+ samples/s\r?\n")
            self.assertNotIn("▕", shown)
            self.assertEqual(len(shown.splitlines()), 2, shown)
        self.assertEqual(self.run_program(terminal=True, options=", progress=False"), "")

    def test_in_a_notebook(self):
        module = type(sys)("ipykernel.iostream")

        class OutStream(io.StringIO):
            pass
        OutStream.__module__ = module.__name__
        cell = OutStream()
        with contextlib.redirect_stderr(cell):
            cavs.fit(self.model(), self.data, epochs=1, batch_size=1)
        self.assertRegex(cell.getvalue(), "\repoch 1/1 ▕")
        self.assertNotIn("\x1b", cell.getvalue())

    def test_a_closed_stream_does_not_end_training(self):
        class Broken(io.StringIO):
            def write(self, text):
                raise BrokenPipeError

        trainer = self.trainer(batch_size=1)
        for stream in (Broken(), None, io.TextIOWrapper(io.BytesIO())):
            if stream is not None and not isinstance(stream, Broken):
                stream.close()
            with contextlib.redirect_stderr(stream):
                output = cavs._progress.Output()
                output.draw = output._draw
                trainer.fit(trainer.epoch + 1, progress=output)
                cavs.fit(self.model(), self.data, epochs=1, save=self.folder / "a.cavs")
            self.assertTrue((self.folder / "a.cavs").exists(), stream)
            (self.folder / "a.cavs").unlink()
        self.assertEqual(trainer.epoch, 3)

    def test_an_interrupt_while_the_bar_is_erased_leaves_no_bar(self):
        class Output:
            texts = []

            def draw(self, text):
                if not text and "" not in self.texts:
                    self.texts.append(text)
                    raise KeyboardInterrupt
                self.texts.append(text)

            def line(self, text):
                pass
        with self.assertRaises(KeyboardInterrupt):
            self.trainer(batch_size=1).fit(3, progress=Output())
        self.assertEqual(Output.texts[-2:], ["", ""])  # the erasure is repeated


class Callbacks(FitCase):
    def test_are_called_every_epoch_and_every_n_steps(self):
        epochs, steps = [], []
        self.trainer().fit(3, on_epoch=epochs.append, on_step=steps.append, every=3)
        self.assertEqual([e.epoch for e in epochs], [1, 2, 3])
        self.assertEqual(len(steps), 4)
        self.assertGreater(epochs[0].train_loss, epochs[2].train_loss)
        self.assertEqual(epochs[0].dev.samples, 30)
        self.assertEqual(steps[0].samples, 25)

    def test_true_ends_training(self):
        for answer in (True, np.bool_(True)):
            trainer = self.trainer()
            trainer.fit(10, on_epoch=lambda report: answer if report.epoch == 2 else None)
            self.assertEqual((trainer.epoch, trainer.steps), (2, 8))
            trainer.fit(10, on_step=lambda step: answer)
            self.assertEqual(trainer.steps, 9)
        trainer = self.trainer()
        trainer.fit(2, on_epoch=lambda report: "yes", on_step=lambda step: 1)
        self.assertEqual(trainer.epoch, 2)

    def test_stopping_saves(self):
        path = str(self.folder / "ended")
        self.trainer().fit(10, save=path, on_step=lambda step: True)
        trainer = self.trainer()
        trainer.resume(path)
        self.assertEqual(trainer.steps, 1)

    def test_an_interrupt_in_a_generator_saves_as_well(self):
        path = str(self.folder / "interrupted")
        passes = []

        def samples():
            passes.append(1)
            for i in range(100):
                if len(passes) > 1 and i == 60:
                    raise KeyboardInterrupt
                yield self.data.train[i]
        data = cavs.Dataset.from_generator(samples, samples=100, words=self.data.words)
        trainer = cavs.Trainer(self.model(), data, batch_size=10, shuffle=False)
        with self.assertRaises(KeyboardInterrupt):
            trainer.fit(3, save=path)
        again = cavs.Trainer(self.model(), cavs.Dataset.from_generator(lambda: iter(self.data.train), samples=100,
                                                                       words=self.data.words), batch_size=10,
                             shuffle=False)
        again.resume(path)
        self.assertEqual(again.steps, trainer.steps)
        self.assertEqual(again.step().samples, 10)


def root_accuracy(predictions, graphs):
    """Accuracy at the roots of trees, which are their first vertices."""
    roots = graphs.sample_begin[:-1]
    labels = graphs["label"][roots]
    return (predictions["logits"][roots].argmax(1) == labels)[labels >= 0].mean()


class Metrics(FitCase):
    def test_custom_metrics_are_computed_from_predictions(self):
        trainer = self.trainer(ema=0.9)
        reports = trainer.fit(3, metrics={"mine": root_accuracy})
        for report in reports:
            self.assertAlmostEqual(report.metrics["mine"], report.dev.root_accuracy, 12)
        self.assertEqual(trainer.trained().metrics["dev_mine"], [r.metrics["mine"] for r in reports])

    def test_choose_the_best_epoch_and_stop_early(self):
        values = iter([0, 3, 5, 4, 4.5, 4.9, 9])
        path = str(self.folder / "best")
        trainer = self.trainer()
        reports = trainer.fit(20, metrics={"mine": lambda predictions, graphs: next(values)}, best_by="mine",
                              save_best=path, patience=2)
        self.assertEqual([r.metrics["mine"] for r in reports], [3, 5, 4, 4.5])
        self.assertEqual([r.best for r in reports], [True, True, False, False])
        self.assertEqual(len(cavs.load(path).metrics["dev_mine"]), 2)

    def test_may_be_better_if_lower(self):
        values = iter([9, 5, 3, 4, 4])
        reports = self.trainer().fit(20, metrics={"mine": lambda p, g: next(values)}, best_by="mine", patience=2,
                                     lower_is_better=["mine"])
        self.assertEqual([r.best for r in reports], [True, True, False, False])

    def test_refuses_metrics_that_cannot_be_compared(self):
        trainer = self.trainer()
        fine = {"mine": lambda p, g: 1.0}
        for options, message in [
                (dict(metrics={"loss": fine["mine"]}), "'loss'"),
                (dict(metrics={"accuracy": fine["mine"]}), "accuracy"),
                (dict(metrics=fine, lower_is_better=["other"]), "'other'"),
                (dict(metrics=fine, best_by="other"), "other"),
                (dict(metrics={"mine": lambda p, g: "x"}), "'mine' returned a str"), (dict(every=0), "every is 0"),
                (dict(metrics={"mine": lambda p, g: math.nan}, best_by="mine"), "cannot be compared by mine")]:
            with self.subTest(message), self.assertRaisesRegex(cavs.Error, message):
                trainer.fit(trainer.epoch + 1, **options)
        with self.assertRaises(ZeroDivisionError):
            trainer.fit(trainer.epoch + 1, metrics={"mine": lambda p, g: 1 / 0})
        with self.assertRaisesRegex(cavs.Error, "development data"):
            cavs.Trainer(self.model(), self.data.train).fit(1, metrics=fine)


class Recipes(FitCase):
    def test_early_stopping_and_the_best_epoch(self):
        path = str(self.folder / "best")
        trainer = self.trainer(lr=0.03)
        reports = trainer.fit(60, best_by="accuracy", save_best=path, patience=3)
        self.assertLess(len(reports), 60)
        best = max(reports, key=lambda r: r.dev.accuracy)
        self.assertEqual(len(reports) - best.epoch, 3)
        self.assertEqual(cavs.load(path).evaluate(self.data.dev).accuracy, best.dev.accuracy)

    def test_unwritable_paths_are_found_before_the_first_step(self):
        for option in ("save", "save_best"):
            trainer = self.trainer()
            with self.assertRaisesRegex(cavs.Error, "no/a: cannot save: there is no directory"):
                trainer.fit(2, **{option: self.folder / "no" / "a"})
            self.assertEqual(trainer.steps, 0)

    def test_the_latest_and_the_best_are_two_files(self):
        with self.assertRaisesRegex(cavs.Error, "both the latest checkpoint and the best one"):
            self.trainer().fit(1, save=self.folder / "a", save_best=self.folder / "a", best_by="loss")

    def test_a_plateau_halves_the_rate_and_schedules_are_functions_of_the_step(self):
        options = cavs.optimizer("adam", lr=0.01, decay="plateau", rate=0.5, patience=1)
        trainer = self.trainer(optimizer=options, lr=None)
        values = iter([1] * 5)
        trainer.fit(4, metrics={"mine": lambda p, g: next(values)}, best_by="mine")
        self.assertEqual((trainer.rate_factor, trainer.learning_rate), (0.125, 0.00125))
        options = cavs.optimizer("sgd", lr=1.0, warmup_steps=4, decay="linear", decay_steps=4)
        warm = self.trainer(optimizer=options, lr=None)
        rates = [warm.step().learning_rate for _ in range(6)]
        np.testing.assert_allclose(rates, [0.25, 0.5, 0.75, 1, 1, 0.75])

    def test_a_decay_by_steps_needs_their_number(self):
        for decay in ("linear", "cosine", "exponential", "step"):
            for options in ({}, {"decay_steps": 0}):
                with self.assertRaisesRegex(cavs.Error, f"decay_steps is 0 with decay '{decay}'; expected 1 or more"):
                    cavs.optimizer("adam", decay=decay, **options)
        with self.assertRaisesRegex(cavs.Error, "unknown learning-rate decay 'cosin'; did you mean 'cosine'"):
            cavs.optimizer("adam", decay="cosin", decay_steps=3)

    def test_rates_by_name(self):
        options = cavs.optimizer("sgd", lr=0.1, frozen=["U*"], rates={"W": 0.0}, rate_factors={"embedding": 0.5})
        trainer = self.trainer(optimizer=options, lr=None)
        before = dict(trainer.parameters.items())
        plain = self.trainer(optimizer=cavs.optimizer("sgd", lr=0.1), lr=None)
        trainer.step(), plain.step()
        after = trainer.parameters
        for name in ("U", "Uf", "W"):
            np.testing.assert_array_equal(after[name], before[name], name)
        moved, whole = after["embedding"] - before["embedding"], plain.parameters["embedding"] - before["embedding"]
        np.testing.assert_allclose(moved, whole / 2, atol=1e-6)
        self.assertGreater(np.abs(moved).max(), 0)

    def test_averages_are_evaluated(self):
        path = str(self.folder / "averages")
        trainer = self.trainer(ema=0.9)
        report = trainer.fit(2, save=path)[-1]
        loaded = cavs.load(path)
        self.assertEqual(loaded.evaluate(self.data.dev).loss, report.dev.loss)
        self.assertFalse(np.array_equal(loaded.parameters["W"], trainer.parameters["W"]))

    def test_word_vectors(self):
        file = self.folder / "vectors.txt"
        rows = {"w3": 0.5, "w5": 1.5, "nobody": 2.5}
        file.write_text("".join(f"{word}{f' {x}' * 12}\n" for word, x in rows.items()))
        trainer = self.trainer()
        self.assertEqual(trainer.load_vectors(str(file)), 2)
        words = self.data.words
        np.testing.assert_array_equal(trainer.parameters["embedding"][words.index("w5")], np.full(12, 1.5))
        with self.assertRaises(cavs.Error):
            trainer.load_vectors(str(file), "W")

    def test_accumulated_gradients(self):
        parts, whole = self.trainer(accumulate=5, batch_size=5), self.trainer(batch_size=25)
        self.assertEqual(parts.steps_per_epoch, 4)
        self.assertAlmostEqual(parts.step().loss, whole.step().loss, 5)


class PendingSteps(FitCase):
    def test_have_the_bits_of_steps(self):
        a, b = self.trainer(), self.trainer()
        losses = [a.step().loss for _ in range(9)]
        stale = []
        for _ in range(9):
            running = b.start()
            stale.append(running.stale_loss)
        self.assertEqual(stale, [None, *losses[:-1]])
        self.assertEqual(running.wait().loss, losses[-1])
        self.assertTrue(running.done)
        np.testing.assert_array_equal(a.parameters["W"], b.parameters["W"])

    def test_members_wait_and_parameters_are_refused_meanwhile(self):
        trainer = self.trainer()
        parameters = trainer.parameters
        for member in [lambda: trainer.steps, lambda: trainer.step(), lambda: trainer.evaluate(self.data.dev),
                       lambda: trainer.trained(), lambda: trainer.parameters["W"], lambda: trainer.fit(0)]:
            running = trainer.start()
            with self.assertRaisesRegex(cavs.Error, "in use"):
                parameters["W"]
            member()
            self.assertTrue(running.done)
            self.assertEqual(parameters["W"].shape, (12, 48))

    def test_several_threads_may_wait(self):
        trainer = self.trainer()
        for _ in range(20):
            running = trainer.start()
            losses = [None] * 3

            def wait(i):
                losses[i] = running.wait().loss if i else trainer.steps
            threads = [threading.Thread(target=wait, args=(i,)) for i in range(3)]
            [t.start() for t in threads]
            [t.join() for t in threads]
            self.assertEqual(losses[1], losses[2])

    def test_python_waits_at_exit_for_a_running_step(self):
        """Its thread would wait for the GIL after Python has ended."""
        program = UNFINISHED.format(tests=os.path.dirname(os.path.abspath(__file__)), spec=SPEC)
        for end in ("", "sys.exit(3)", "1 / 0", "if os.fork(): os.wait()"):
            with self.subTest(end):
                done = subprocess.run([sys.executable, "-c", program + end], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), ({"sys.exit(3)": 3, "1 / 0": 1}.get(end, 0), "begun\n"),
                                 done.stderr)
                self.assertEqual("ZeroDivisionError" in done.stderr, end == "1 / 0")

    def test_raise_the_error_of_the_step(self):
        def trainer():
            m = cavs.Model()
            W = m.parameter("W", (1, 1), cavs.Initializer.constant(1e30))

            @m.vertex_function
            def vertex(v):
                y = v.pull("x", 1) @ W
                v.loss(cavs.dot(y, y))
            return cavs.Trainer(m, cavs.Graphs.from_arrays([0, 1], [0, 0], [], ports={"x": [1.0]}))
        first = trainer()
        running = first.start()
        for _ in range(2):
            with self.assertRaisesRegex(cavs.Error, "training stopped"):
                running.wait()
        self.assertEqual(first.steps, 0)
        second = trainer()
        second.start()
        with self.assertRaisesRegex(cavs.Error, "training stopped"):
            second.steps
        self.assertEqual(second.steps, 0)


if __name__ == "__main__":
    unittest.main()
