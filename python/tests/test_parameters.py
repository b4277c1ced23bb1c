"""Parameters as arrays."""

import gc
import unittest

import numpy as np

import cavs
from cases import SessionCase


class Parameters(SessionCase):
    def test_training_begins_with_the_initial_values(self):
        trainer = cavs.Trainer(self.model(), self.data)
        for name, values in self.model().parameters().items():
            np.testing.assert_array_equal(trainer.parameters[name], values)

    def test_views_are_not_copies_and_outlive_the_trainer(self):
        trainer = cavs.Trainer(self.model(), self.data, lr=0.05)
        trainer.step()
        parameters = trainer.parameters
        view, again, values = parameters.view("W"), parameters.view("W"), parameters["W"]
        self.assertTrue(np.shares_memory(view, again))
        self.assertFalse(np.shares_memory(view, values))
        self.assertEqual((view.dtype, view.shape, view.flags.writeable, view.flags.owndata),
                         (np.float32, (4, 18), False, False))
        np.testing.assert_array_equal(view, values)
        parameters["W"] = values + 1
        np.testing.assert_array_equal(view, values + 1)
        with self.assertRaises(ValueError):
            view[0] = 0
        del trainer, parameters, again
        gc.collect()
        cavs.Trainer(self.model(seed=2), self.data).step()
        np.testing.assert_array_equal(view, values + 1)

    def test_views_after_a_step_have_its_values(self):
        trainer = cavs.Trainer(self.model(), self.data, lr=0.05)
        for _ in range(3):
            trainer.step()
            for name, values in trainer.trained().parameters.items():
                np.testing.assert_array_equal(trainer.parameters.view(name), values)

    def test_dlpack(self):
        run = cavs.Session(self.model()).forward(self.data.train)
        gradients = run.backward()
        view = self.model().parameters().view("W")
        arrays = [run.output("logits"), run.state("h"), gradients["W"], self.model().parameters()["W"]]
        if np.lib.NumpyVersion(np.__version__) >= "2.1.0":  # the first version whose DLPack has read-only arrays
            self.assertFalse(np.from_dlpack(view).flags.writeable)
            arrays.append(view)
        for array in arrays:
            taken = np.from_dlpack(array)
            self.assertTrue(np.shares_memory(taken, array))
        kept = [array.copy() for array in arrays]
        taken = [np.from_dlpack(array) for array in arrays]
        del arrays, array, gradients, run
        gc.collect()
        for ours, copy in zip(taken, kept):
            np.testing.assert_array_equal(ours, copy)

    def test_pretrained_vectors_are_trained_on(self):
        vectors = np.random.default_rng(1).normal(size=(self.data.rows("word"), 4))
        trainer = cavs.Trainer(self.model(), self.data, optimizer=cavs.optimizer("adam", frozen=["embedding"]))
        trainer.parameters["embedding"] = vectors
        trainer.step()
        np.testing.assert_array_equal(trainer.parameters["embedding"], vectors.astype(np.float32))

    def test_fit_begins_with_custom_values(self):
        vectors = np.random.default_rng(1).normal(size=(self.data.rows("word"), 4))
        options = dict(epochs=1, progress=False, optimizer=cavs.optimizer("sgd", lr=0.1, frozen=["embedding"]))
        trained = cavs.fit(self.model(), self.data, parameters={"embedding": vectors, "b": np.full(18, 0.5)}, **options)
        np.testing.assert_array_equal(trained.parameters["embedding"], vectors.astype(np.float32))
        trainer = cavs.Trainer(self.model(), self.data, optimizer=options["optimizer"])
        trainer.parameters.update({"embedding": vectors, "b": np.full(18, 0.5)})
        trainer.fit(1)
        for name, values in trainer.parameters.items():
            np.testing.assert_array_equal(trained.parameters[name], values, name)
        with self.assertRaisesRegex(cavs.Error, "parameter 'b'"):
            cavs.fit(self.model(), self.data, parameters={"b": np.zeros(3)}, **options)

    def test_custom_initial_values(self):
        trainer, rng = cavs.Trainer(self.model(), self.data), np.random.default_rng(1)
        own = {name: rng.normal(size=values.shape).astype(np.float32) for name, values in trainer.parameters.items()}
        trainer.parameters.update(own)
        other = cavs.Trainer(self.model(seed=2), self.data)
        other.parameters.update({name: trainer.parameters.view(name) for name in trainer.parameters})
        for name, values in own.items():
            np.testing.assert_array_equal(other.parameters[name], values)
        with self.assertRaises(KeyError):
            trainer.parameters.update({"no": own["W"]})
        with self.assertRaisesRegex(cavs.Error, "parameter 'b'"):
            trainer.parameters.update({"b": own["W"]})

    def test_a_session_sees_assigned_values(self):
        session = cavs.Session(self.model())
        before = session.forward(self.data.train).loss
        session.parameters["W"] = session.parameters["W"] * 0
        self.assertNotEqual(session.forward(self.data.train).loss, before)

    def test_a_session_and_a_trainer_share_parameters(self):
        trainer = cavs.Trainer(self.model(), self.data, lr=0.05)
        session = cavs.Session(self.model(), trainer.parameters, training=False)
        for _ in range(3):
            trainer.step()
            np.testing.assert_array_equal(session.forward(self.data.dev).output("logits"),
                                          trainer.trained().predict(self.data.dev)["logits"])

    def test_are_not_read_during_training(self):
        trainer = cavs.Trainer(self.model(), self.data)
        session, refused = cavs.Session(self.model(), trainer.parameters), []

        def on_step(step):
            for use in [lambda: session.forward(self.data.train), lambda: trainer.parameters.view("W"),
                        lambda: cavs.Session(self.model(), trainer.parameters)]:
                with self.assertRaisesRegex(cavs.Error, "in use"):
                    use()
            refused.append(step)
        trainer.fit(1, on_step=on_step)
        self.assertEqual(len(refused), trainer.steps_per_epoch)


if __name__ == "__main__":
    unittest.main()
