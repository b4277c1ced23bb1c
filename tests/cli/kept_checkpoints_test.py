"""Checkpoints of earlier versions, one per model, must load, evaluate and train to the same bits.

tests/checkpoints/README.md says how they were made, and what to do if this test fails.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "checkpoints"))

import make  # noqa: E402  (the folder is found just above)


class KeptCheckpoints(unittest.TestCase):
    maxDiff = None

    def test_exist_for_all_models(self):
        models = [model["name"] for model in json.loads(make.run("models", "--json"))["models"]]
        self.assertEqual(sorted(models), sorted(make.MODELS))

    def test_are_small(self):
        sizes = [os.path.getsize(make.path_of(model)) for model in make.MODELS]
        self.assertLess(sum(sizes), 200_000)

    def test_differ_from_the_resumed_checkpoints(self):
        expected = make.read_expected()
        with tempfile.TemporaryDirectory() as folder:
            for model in make.MODELS:
                self.assertNotEqual(make.state_hash(make.unpack(model, folder)), expected[model]["resumed"], model)

    def test_load_evaluate_and_resume_to_the_same_bits(self):
        expected = make.read_expected()
        with tempfile.TemporaryDirectory() as folder:
            for model in make.MODELS:
                with self.subTest(model=model):
                    self.assertEqual(make.outcome(model, folder), expected[model])

    def test_predict_samples_of_their_training_data(self):
        texts = {"lstm-nmt": "w7 w8\n", "var-lstm": "w3\n", "gru": "w3\n", "fixed-lstm": "w3\n"}
        with tempfile.TemporaryDirectory() as folder:
            for model, (data, _) in make.MODELS.items():
                with self.subTest(model=model):
                    path = make.unpack(model, folder)
                    source = ["--data", data] if model not in texts else []
                    ended = subprocess.run([make.COMMAND, "predict", path, *source], input=texts.get(model, ""),
                                           capture_output=True, text=True, timeout=300)
                    self.assertEqual(ended.returncode, 0, ended.stderr)
                    answers = [json.loads(line) for line in ended.stdout.splitlines()]
                    self.assertGreater(len(answers), 0)
                    # The output of choices is not a distribution. Models without an output of marginals have only that
                    # output.
                    self.assertEqual("probabilities" in answers[0], model not in texts and model != "bilstm-crf")


if __name__ == "__main__":
    unittest.main()
