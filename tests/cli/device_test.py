"""Tests 'cavs' with --device cuda, on a stand-in for a GPU that runs kernels, and without any GPU."""

import json
import os
import shutil
import tempfile
import unittest

from cavs_command import TestCase, cavs, metadata, one_object, tensor

STANDIN = os.environ.get("CAVS_CUDA_STANDIN", "")
TRAIN = ["train", "tree-lstm", "--data", "listops:train=12,test=6,length=12", "--hidden", "6", "--embedding", "4",
         "--batch-size", "4", "--threads", "1"]


class Device(TestCase):
    @classmethod
    def setUpClass(cls):
        # All tests share the compiled kernels.
        cls.kernels = tempfile.mkdtemp(prefix="cavs-kernels-")
        cls.addClassCleanup(shutil.rmtree, cls.kernels)

    def on_gpu(self, *arguments, check=0, stdin="", **variables):
        return cavs(*arguments, check=check, stdin=stdin,
                    variables={"CAVS_CUDA_DRIVER": STANDIN, "CAVS_NVRTC": STANDIN, "CAVS_CUDA_CACHE": self.kernels,
                               **variables})

    def check_engine(self, on_gpu, *told):
        of_gpu, of_cpu = self.path("gpu.cavs"), self.path("cpu.cavs")
        on_cpu = one_object(cavs(*TRAIN, "--epochs", "2", "--save", of_cpu, "--json").stdout)
        trained = self.on_gpu(*TRAIN, *on_gpu, "--epochs", "2", "--save", of_gpu, "--json")
        report = one_object(trained.stdout)
        for found, expected in zip(report["epochs"], on_cpu["epochs"]):
            for name in ("train_loss", "dev_loss"):
                self.assertAlmostEqual(found[name], expected[name], delta=1e-3 * expected[name])
        self.assertNotIn("stand-in for a GPU:", trained.stderr)  # the stand-in found no fault
        for line in ("a stand-in, sm_90: 3 processors", "0 spilled", "registers", *told):
            self.assertIn(line, trained.stderr)
        self.assertEqual(json.loads(json.loads(metadata(of_gpu)["extra"])["train_options"])["--device"], "cuda")

        evaluated = self.on_gpu("eval", of_gpu, "--device", "cuda", "--json")
        expected = one_object(cavs("eval", of_gpu, "--json").stdout)
        self.assertAlmostEqual(one_object(evaluated.stdout)["loss"], expected["loss"], delta=1e-4)
        question = {"stdin": "[MAX 2 9 [MIN 4 7] 0]\n"}
        answers = [json.loads(run("predict", of_gpu, *device, **question).stdout)
                   for run, device in ((self.on_gpu, ["--device", "cuda"]), (cavs, []))]
        self.assertEqual(answers[0]["class"], answers[1]["class"])

        # The resumed training has the bits of an uninterrupted one, and also continues on the CPU without a GPU.
        self.on_gpu(*TRAIN, *on_gpu, "--epochs", "3", "--save", self.path("straight.cavs"))
        resumed = self.on_gpu(*TRAIN, "--epochs", "3", "--resume", of_gpu, "--save", of_gpu)
        self.assertIn("sm_90", resumed.stderr)  # the device in the checkpoint
        self.assertEqual(tensor(of_gpu, "parameters/embedding"), tensor(self.path("straight.cavs"), "parameters/embedding"))
        moved = cavs(*TRAIN, "--epochs", "4", "--device", "cpu", "--resume", of_gpu)
        self.assertIn("was trained on device cuda, and continues on cpu", moved.stderr)
        back = self.on_gpu(*TRAIN, *on_gpu, "--epochs", "3", "--resume", of_cpu)
        self.assertIn("was trained on device cpu, and continues on cuda", back.stderr)

    def test_batched_trains_evaluates_and_resumes(self):
        self.check_engine(["--device", "cuda"], "kernels of 256 threads")

    def test_persistent_trains_evaluates_and_resumes(self):
        self.check_engine(["--device", "cuda", "--engine", "persistent"], "weights on sm_90: 3 processors")

    def check_answers(self, path, stdin, *options):
        """Checks that 'predict' gives the words of the CPU, and the same numbers up to rounding."""
        answers = self.on_gpu("predict", path, *options, "--device", "cuda", stdin=stdin)
        self.assertNotIn("stand-in for a GPU:", answers.stderr)
        found, expected = ([json.loads(line) for line in text.splitlines()]
                           for text in (answers.stdout, cavs("predict", path, *options, stdin=stdin).stdout))
        self.assertEqual(len(found), len(stdin.splitlines()))
        for one, other in zip(found, expected):
            self.assertEqual(one["words"], other["words"])
            self.assertAlmostEqual(one["log_probability"], other["log_probability"], delta=1e-3)

    def test_continues_prompts(self):
        path = self.path("words.cavs")
        self.on_gpu("train", "var-lstm", "--data", "markov:train=40,test=4,vocabulary=20,length=6", "--hidden", "6",
                    "--embedding", "4", "--epochs", "2", "--device", "cuda", "--save", path)
        prompts = "w2 w3\n\nw5\n"
        self.check_answers(path, prompts, "--words", "5")
        self.check_answers(path, prompts, "--words", "5", "--temperature", "1", "--seed", "3")
        refused = self.on_gpu("predict", path, "--device", "cuda", "--engine", "persistent", stdin=prompts, check=1)
        self.assertIn("use engine batched, or device cpu", refused.stderr)

    def test_translates(self):
        path = self.path("pairs.cavs")
        self.on_gpu("train", "lstm-nmt", "--data", "translations:train=40,test=4,length=4,vocabulary=20", "--hidden",
                    "6", "--embedding", "4", "--epochs", "2", "--device", "cuda", "--save", path)
        sources = "w12 w13\nw14 w15 w11\n"
        self.check_answers(path, sources, "--max-length", "5")
        self.check_answers(path, sources, "--max-length", "5", "--beam", "3", "--n-best", "2")
        evaluate = ["eval", path, "--beam", "2", "--max-length", "5", "--json"]
        found, expected = (one_object(run(*evaluate, *device).stdout)
                           for run, device in ((self.on_gpu, ["--device", "cuda"]), (cavs, [])))
        self.assertEqual(found["bleu"], expected["bleu"])

    def test_one_engine_cannot_resume_the_other(self):
        path = self.path("gpu.cavs")
        self.on_gpu(*TRAIN, "--device", "cuda", "--epochs", "1", "--save", path)
        refused = self.on_gpu(*TRAIN, "--device", "cuda", "--engine", "persistent", "--epochs", "2", "--resume", path,
                              check=1)
        self.assertIn("--engine", refused.stderr)
        self.assertIn("trained with other options or data", refused.stderr)

    def test_a_failing_kernel_leaves_the_last_checkpoint_intact(self):
        path = self.path("gpu.cavs")
        self.on_gpu(*TRAIN, "--device", "cuda", "--epochs", "1", "--save", path)
        with open(path, "rb") as file:
            before = file.read()
        resume = [*TRAIN, "--resume", path, "--save", path, "--epochs", "2"]
        failed = self.on_gpu(*resume, check=1, CAVS_STANDIN="fail_launch=30", CAVS_CUDA_LAUNCHES="waited")
        self.assertRegex(failed.stderr, r"kernel cavs_\w+ failed \(step \d+, .* of 'tree_lstm', stage ")
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)
        self.on_gpu(*resume)

    def test_benchmarks(self):
        measured = self.on_gpu("bench", "tree-lstm", "--data", "listops:train=8,test=0,length=10", "--hidden", "6",
                               "--embedding", "4", "--batch-size", "4", "--epochs", "1", "--device", "cuda", "--json")
        report = one_object(measured.stdout)
        self.assertEqual((report["engine"], report["device"]), ("batched", "cuda"))
        for field in ("launches", "graph_launches", "graph_nodes"):
            self.assertGreater(report[field], 0, field)
        self.assertAlmostEqual(report["launches_per_task"] * report["tasks"], report["launches"] + report["graph_nodes"])

    def test_roofline_has_the_kernels_of_a_step(self):
        arguments = ["bench", "tree-lstm", "--data", "listops:train=8,test=0,length=10", "--hidden", "6",
                     "--embedding", "4", "--batch-size", "4", "--epochs", "1", "--device", "cuda", "--roofline"]
        report = one_object(self.on_gpu(*arguments, "--json").stdout)
        kinds = {kind["name"]: kind for kind in report["kernels"]}
        for name in ("product", "loop", "weight gradient", "update"):
            for field in ("launches", "flops", "tile_bytes", "bytes", "ms", "predicted_ms"):
                self.assertGreater(kinds[name][field], 0, name + ", " + field)
        for field in ("step_ms", "kernel_ms", "predicted_ms", "peak_gflops", "peak_l2_gbytes", "peak_memory_gbytes"):
            self.assertGreater(report[field], 0, field)
        table = self.on_gpu(*arguments).stdout
        self.assertRegex(table, r"(?m)^product +[\d.]+ ")
        self.assertRegex(table, r"(?m)^sum of kernels +[\d.]+ ")


if __name__ == "__main__":
    if not STANDIN:
        print("no stand-in for a GPU: CAVS_CUDA_STANDIN names none")
        raise SystemExit(77)
    unittest.main()
