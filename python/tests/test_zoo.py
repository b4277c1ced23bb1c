"""Every model of the zoo, declared in Python, equals the model in C++."""

import unittest

import numpy as np

import cavs
from zoo import MODELS, Config


def trained_bits(model, data):
    """The bits of all parameters after three steps."""
    trainer = cavs.Trainer(model, data, batch_size=2, lr=0.05, clip_norm=1)
    losses = [trainer.step().loss for _ in range(3)]
    return {name: values.tobytes() for name, values in trainer.parameters.items()}, losses


class Zoo(unittest.TestCase):
    def test_every_model_has_a_twin(self):
        self.assertEqual(list(MODELS), [model.name for model in cavs.zoo_models()])

    def test_the_twins_are_the_same_model_and_train_to_the_same_bits(self):
        for zoo in cavs.zoo_models():
            with self.subTest(zoo.name):
                data = cavs.zoo_data(zoo.name, limit=6)
                sizes = dict(vocabulary=data.rows("word"), embedding=5, hidden=6, classes=data.classes, dropout=0.2,
                             seed=3)
                ours, theirs = MODELS[zoo.name](Config(**sizes)), cavs.zoo(zoo.name, **sizes)
                self.assertEqual(ours.fingerprint, theirs.fingerprint)
                (bits, losses), (expected, expected_losses) = trained_bits(ours, data), trained_bits(theirs, data)
                self.assertEqual(losses, expected_losses)
                self.assertTrue(np.isfinite(losses).all() and losses[0] != losses[2])
                self.assertEqual(bits, expected)

    def test_another_model_is_distinguished(self):
        config = Config(vocabulary=9, embedding=4, hidden=4)
        for name, other in [("tree-lstm", "tree-gru"), ("lattice-lstm", "lattice-gru"), ("bilstm", "bilstm-char"),
                            ("td-rnn", "td-lstm"), ("rvnn", "mv-rnn"), ("var-lstm", "lstm-nmt")]:
            self.assertNotEqual(MODELS[name](config).fingerprint, MODELS[other](config).fingerprint)

    def test_a_width_of_one(self):
        config = Config(vocabulary=9, embedding=1, hidden=4)
        for name in ("bilstm-char", "bilstm-crf"):
            zoo = cavs.zoo(name, vocabulary=9, embedding=1, hidden=4)
            self.assertEqual(MODELS[name](config).fingerprint, zoo.fingerprint)


if __name__ == "__main__":
    unittest.main()
