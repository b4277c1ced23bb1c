"""Training and predicting in Python is bit-identical to C++, and so are the files."""

import json
import os
import signal
import threading
import time
import unittest

import numpy as np

import cavs
from cases import FolderCase
from checkpoint_files import record_option
from models import tree_lstm

SPEC = "random-trees:train=100,test=30,leaves=6,vocabulary=40"


def model_for(data, seed=1):
    return tree_lstm(12, 16, data.rows("word"), data.classes, seed)


class Case(FolderCase):
    @classmethod
    def setUpClass(cls):
        cls.data = cavs.load_data(SPEC)

    def fit(self, model=None, data=None, **options):
        data = data or self.data
        return cavs.fit(model or model_for(data), data, **{"epochs": 2, "batch_size": 25, "lr": 0.01, "progress": False,
                                                           **options})


class SameBits(Case):
    def test_the_model_of_the_zoo_trains_to_the_same_parameters_and_outputs(self):
        zoo = cavs.zoo("tree-lstm", embedding=12, hidden=16, vocabulary=self.data.rows("word"),
                       classes=self.data.classes)
        ours, theirs = self.fit(), self.fit(zoo)
        self.assertEqual(set(ours.parameters), set(theirs.parameters))
        for name, values in ours.parameters.items():
            np.testing.assert_array_equal(values, theirs.parameters[name], name)
        np.testing.assert_array_equal(ours.predict(self.data.dev)["logits"], theirs.predict(self.data.dev)["logits"])

    def test_the_command_trains_to_the_same_parameters(self):
        self.command("--version")  # skips the test without the command
        path = self.folder / "theirs.cavs"
        self.command("train", "tree-lstm", "--data", SPEC, "--embedding", 12, "--hidden", 16, "--epochs", 2,
                     "--batch-size", 25, "--lr", 0.01, "--optimizer", "adam", "--save", path, "--threads", 1)
        theirs, ours = cavs.load(str(path)), self.fit()
        for name, values in ours.parameters.items():
            np.testing.assert_array_equal(values, theirs.parameters[name], name)

    def test_graphs_from_arrays_equal_graphs_from_files(self):
        g = self.data.train
        same = cavs.Graphs.from_arrays(g.sample_begin, g.child_offsets, g.children, types=g.types,
                                       type_names=g.type_names, ports={p: g[p] for p in g.ports})
        a, b = cavs.Trainer(model_for(self.data), g), cavs.Trainer(model_for(self.data), same)
        for _ in range(3):
            self.assertEqual(a.step().loss, b.step().loss)

    def test_threads_and_batches_change_no_bit_of_an_output(self):
        trained = self.fit()
        logits = trained.predict(self.data.dev)["logits"]
        self.assertEqual(logits.shape, (self.data.dev.vertices, self.data.classes))
        np.testing.assert_array_equal(trained.predict(self.data.dev, batch_size=7, threads=2)["logits"], logits)
        other = self.fit(threads=2)
        np.testing.assert_array_equal(other.predict(self.data.dev)["logits"], logits)

    def test_a_loop_of_steps_equals_fit(self):
        trainer = cavs.Trainer(model_for(self.data), self.data, batch_size=25, lr=0.01)
        while trainer.epoch < 2:
            self.assertEqual(trainer.step().samples, 25)
        self.assertEqual(trainer.steps, 2 * trainer.steps_per_epoch)
        np.testing.assert_array_equal(trainer.parameters["W"], self.fit().parameters["W"])

    def test_a_network_is_evaluated_over_the_data(self):
        def declare(m):
            E, W = m.lookup("E", (self.data.rows("word"), 6)), m.parameter("W", (6, self.data.classes))

            @m.vertex_function("embed", over=["leaf", "inner"])
            def embed(v):
                v.push(x=E(v.pull_index("word")))

            @m.vertex_function("cell", over=["leaf", "inner"])
            def cell(v):
                h = cavs.tanh(v.pull("x", 6) + v.children("h").sum())
                v.scatter(h=h)
                v.push(logits=h @ W)
                v.loss(cavs.softmax_cross_entropy(h @ W, v.pull_index("label")))
            m.connect(("embed", "x"), ("cell", "x"))
            return m
        trained = self.fit(declare(cavs.Model()))
        logits = trained.predict(self.data.dev)["logits"]
        self.assertEqual(logits.shape, (self.data.dev.vertices, self.data.classes))
        labels = self.data.dev["label"]
        accuracy = (logits.argmax(1) == labels)[labels >= 0].mean()
        self.assertAlmostEqual(accuracy, trained.evaluate(self.data.dev).accuracy, 12)


class Files(Case):
    TEXT = "(((w3) (w5)) ((w8) ((w2) (w7))))"

    def check_command_agrees(self, path, trained, text):
        line = json.loads(self.command("predict", path, "--threads", 1, text=text))
        root = trained.predict_text(text)[0]
        at = root.roots[0]
        self.assertEqual(line["class"], root.classes[at])
        np.testing.assert_array_equal(np.float32(line["probabilities"]), np.float32(root.probabilities[at]))

    def test_the_command_reads_files_of_python(self):
        path = self.folder / "python.cavs"
        trained = self.fit(save=str(path))
        self.check_command_agrees(path, trained, self.TEXT)
        line = json.loads(self.command("eval", path, "--json"))
        self.assertEqual(line["accuracy"], trained.evaluate(self.data.dev).accuracy)

    def test_python_reads_and_rewrites_files_of_the_command(self):
        path, copy = self.folder / "command.cavs", self.folder / "copy.cavs"
        self.command("train", "tree-lstm", "--data", SPEC, "--epochs", 1, "--hidden", 8, "--save", path)
        loaded = cavs.load(str(path))
        loaded.save(str(copy))
        self.assertEqual(path.read_bytes(), copy.read_bytes())
        self.check_command_agrees(copy, loaded, self.TEXT)

    def test_resumed_training_equals_training_without_a_stop(self):
        whole, half = self.folder / "whole.cavs", self.folder / "half.cavs"
        self.fit(epochs=3, save=str(whole))
        self.fit(epochs=1, save=str(half))
        trainer = cavs.Trainer(model_for(self.data), self.data, batch_size=25, lr=0.01)
        trainer.resume(str(half))
        trainer.fit(3, save=str(half))
        self.assertEqual(whole.read_bytes(), half.read_bytes())

    def test_options_of_earlier_versions_are_named_if_they_changed_bits(self):
        path = self.folder / "half.cavs"
        self.fit(epochs=1, save=str(path))
        def trainer():
            return cavs.Trainer(model_for(self.data), self.data, batch_size=25, lr=0.01)
        for name, neutral, other in [("share_equal", "off", "on"), ("transposed_copies", "True", "False")]:
            with self.subTest(name):
                record_option(path, name, neutral)
                trainer().resume(path)
                record_option(path, name, other)
                with self.assertRaisesRegex(cavs.Error, f"{name}: {other} in the checkpoint; this version has no such"):
                    trainer().resume(path)
                record_option(path, name, neutral)  # restores the option for the next name

    def test_resuming_with_other_options_needs_strict_false(self):
        path = self.folder / "half.cavs"
        self.fit(epochs=1, save=str(path))
        def trainer(data=self.data, **options):
            return cavs.Trainer(model_for(self.data), data, **{"batch_size": 25, "lr": 0.01, **options})
        trainer(threads=2).resume(path)
        for options, message in [(dict(batch_size=7), "batch_size: 25 in the checkpoint, 7 here"),
                                 (dict(shuffle=False), "shuffle: True in the checkpoint, False here"),
                                 (dict(clip_norm=0.1, accumulate=2), "(?s)accumulate: 1 .*clip_norm: 0 .*0.1 here"),
                                 (dict(precision="bf16"), "precision: fp32 in the checkpoint, bf16 here"),
                                 (dict(data=cavs.load_data(SPEC, seed=2)), "content of the data")]:
            other = trainer(**options)
            with self.subTest(message), self.assertRaisesRegex(cavs.Error, message):
                other.resume(path)
            self.assertEqual(other.steps, 0)
        other = trainer(batch_size=7)
        other.resume(path, strict=False)
        self.assertGreater(other.steps, 0)

    def test_sst(self):
        sst = self.real_data("sst")
        data = cavs.load_data(f"sst:{sst}", limit=200, min_count=2)
        path = self.folder / "sst.cavs"
        losses = []
        trained = self.fit(model_for(data), data, dev=data.train, save=str(path), lr=0.02, epochs=3,
                           on_epoch=lambda report: losses.append(report.train_loss))
        self.assertLess(losses[-1], 0.8 * losses[0])
        self.check_command_agrees(path, trained, "(3 (2 A) (4 (3 great) (2 movie)))")
        again = cavs.load(str(path))
        dev = again.load_data(f"sst:{sst}").dev
        self.assertEqual(again.evaluate(dev).accuracy, trained.evaluate(dev).accuracy)


class Parameters(Case):
    def test_are_copies_that_can_be_set(self):
        trained = self.fit(epochs=1)
        before = trained.predict(self.data.dev)["logits"]
        W = trained.parameters["W"]
        self.assertEqual((W.dtype, W.shape), (np.float32, (12, 48)))
        W[:] = 0
        np.testing.assert_array_equal(trained.predict(self.data.dev)["logits"], before)
        trained.parameters["W"] = W
        self.assertFalse(np.array_equal(trained.predict(self.data.dev)["logits"], before))
        path = str(self.folder / "set.cavs")
        trained.save(path)
        np.testing.assert_array_equal(cavs.load(path).parameters["W"], W)
        np.testing.assert_array_equal(cavs.load(path).predict(self.data.dev)["logits"],
                                      trained.predict(self.data.dev)["logits"])

    def test_set_in_a_trainer_are_used_by_training(self):
        trainer = cavs.Trainer(model_for(self.data), self.data, lr=0.01)
        other = cavs.Trainer(model_for(self.data, seed=2), self.data, lr=0.01)
        trainer.step()
        for name in trainer.parameters:
            other.parameters[name] = trainer.parameters[name]
        self.assertEqual(trainer.evaluate(self.data.dev).loss, other.evaluate(self.data.dev).loss)

    def test_frozen_keep_their_values(self):
        trainer = cavs.Trainer(model_for(self.data), self.data, optimizer=cavs.optimizer("adam", frozen=["U*"]))
        before = trainer.parameters["U"], trainer.parameters["W"]
        trainer.step()
        np.testing.assert_array_equal(trainer.parameters["U"], before[0])
        self.assertFalse(np.array_equal(trainer.parameters["W"], before[1]))

    def test_refuse_what_does_not_fit(self):
        parameters = self.fit(epochs=1).parameters
        shape = parameters["b"].shape
        for array in [np.zeros(3), np.full(shape, np.nan), np.full(shape, 1e300), np.zeros(shape, int), "b", None]:
            with self.assertRaises(cavs.Error):
                parameters["b"] = array
        with self.assertRaises(KeyError):
            parameters["no"]
        with self.assertRaises(KeyError):
            parameters["no"] = np.zeros(3)


class Refuses(Case):
    def test_options_and_files(self):
        m = model_for(self.data)
        bad = self.folder / "bad.cavs"
        bad.write_bytes(b"no checkpoint")
        trainer = cavs.Trainer(m, self.data)
        for use in [lambda: cavs.Trainer(m, self.data, batch_size=0), lambda: cavs.Trainer(m, self.data, threads=0),
                    lambda: cavs.Trainer(m, self.data, optimizer="adan"), lambda: cavs.Trainer(m, self.data, lr=-1.0),
                    lambda: cavs.Trainer(m, self.data, engine="fast"), lambda: cavs.Trainer(m, self.data, ema=2.0),
                    lambda: cavs.Trainer(m, self.data, policy="no"), lambda: cavs.Trainer(cavs.Model(), self.data),
                    lambda: cavs.Trainer(tree_lstm(4, 4, 3, 5), self.data), lambda: cavs.load(str(bad)),
                    lambda: cavs.load("/no/such/file"), lambda: trainer.resume(str(bad)),
                    lambda: trainer.save("/no/such/folder/x"), lambda: trainer.fit(1, metric="no"),
                    lambda: trainer.fit(1, patience=2, best_by="no"), lambda: cavs.optimizer("adam", decay="no"),
                    lambda: cavs.optimizer("adam", decay="cosine"),
                    lambda: cavs.optimizer("no"), lambda: trainer.trained().predict(self.data.dev, batch_size=0),
                    lambda: trainer.trained().predict(self.data.dev, threads=0),
                    lambda: trainer.trained().predict_text("((w3"),
                    lambda: cavs.fit(m, cavs.Graphs.from_arrays(np.array([0, 1]), np.array([0, 0]), np.array([], int)))]:
            with self.assertRaises(cavs.Error):
                use()
        for use in [lambda: cavs.optimizer("adam", learning=1), lambda: cavs.optimizer("adam", beta1="a"),
                    lambda: cavs.Trainer(m, self.data, learning_rate=1), lambda: cavs.Trainer(m, "data"),
                    lambda: cavs.Trainer(m, self.data, batch_size=1.5)]:
            with self.assertRaises(TypeError):
                use()

    def test_a_trainer_that_is_in_use(self):
        trainer = cavs.Trainer(model_for(self.data), self.data)
        seen = []

        def on_step(step):
            for use in [trainer.step, lambda: trainer.parameters["W"], lambda: trainer.save("x"), lambda: trainer.epoch]:
                with self.assertRaisesRegex(cavs.Error, "in use"):
                    use()
            seen.append(step.loss)
        trainer.fit(1, on_step=on_step)
        self.assertEqual(len(seen), trainer.steps_per_epoch)
        trainer.step()

    def test_an_exception_of_a_callback_ends_training(self):
        trainer = cavs.Trainer(model_for(self.data), self.data)
        with self.assertRaises(ZeroDivisionError):
            trainer.fit(1, on_step=lambda step: 1 / 0)
        trainer.step()
        self.assertEqual(trainer.steps, 2)


class Threads(Case):
    def test_two_models_train_at_the_same_time_with_their_own_bits(self):
        alone = [self.fit(model_for(self.data, seed)).parameters["W"] for seed in (1, 2)]
        together = [None, None]

        def train(i):
            together[i] = self.fit(model_for(self.data, i + 1)).parameters["W"]
        threads = [threading.Thread(target=train, args=(i,)) for i in range(2)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        for a, b in zip(alone, together):
            np.testing.assert_array_equal(a, b)

    def test_a_signal_saves_and_ends_training(self):
        path = self.folder / "stopped.cavs"
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        self.addCleanup(signal.signal, signal.SIGINT, before)
        trainer = cavs.Trainer(model_for(self.data), self.data)

        def on_step(step):
            if step.loss and not path.exists():
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0)
        with self.assertRaises(KeyboardInterrupt):
            trainer.fit(10**6, save=str(path), on_step=on_step)
        self.assertTrue(path.exists())
        trainer.resume(str(path))


if __name__ == "__main__":
    unittest.main()
