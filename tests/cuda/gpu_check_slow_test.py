"""Tests what scripts/gpu-check.sh reports as OK, WRONG and SKIPPED, with shell scripts in place of its programs.

Also tests the messages of cuda_check for a missing, unknown or failing GPU, with a stand-in for the driver.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
CHECK = os.environ.get("CAVS_CUDA_CHECK", "")
STANDIN = os.environ.get("CAVS_CUDA_STANDIN", "")
STEPS_OF_A_GPU = ["device", "numbers", "processors", "times", "train", "train-cpu", "same-loss", "bench"]


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="cavs-gpu-check-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "bin").mkdir()
        shutil.copy(SCRIPTS / "gpu-check.sh", self.folder)
        shutil.copy(SCRIPTS.parent / "tests/cuda/gpu/report.py", self.folder)

    def run_steps(self, program, seconds="600", **variables):
        """Runs all steps with a shell script as both programs. Returns the exit code and the steps."""
        for name in ("cuda_check", "cavs"):
            (self.folder / "bin" / name).write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
            (self.folder / "bin" / name).chmod(0o755)
        result = subprocess.run([self.folder / "gpu-check.sh", "run", seconds], capture_output=True, text=True,
                                timeout=100, env={**os.environ, **variables}, check=False)
        lines = (self.folder / "results/steps.jsonl").read_text(encoding="utf-8").splitlines()
        return result.returncode, {step["step"]: step for step in map(json.loads, lines)}


class Steps(Folder):
    def test_are_ok(self):
        code, steps = self.run_steps("exit 0")
        self.assertEqual(code, 0)
        for name in STEPS_OF_A_GPU:
            self.assertEqual(steps[name]["status"], "OK", name)

    def test_are_skipped_without_a_gpu(self):
        code, steps = self.run_steps("echo 'no GPU: \"none\" \\ at all' >&2; exit 77")
        self.assertEqual(code, 0)
        self.assertEqual({name: step["status"] for name, step in steps.items()}, {"device": "SKIPPED"})
        self.assertEqual(steps["device"]["why"], "no GPU: 'none' / at all")

    def test_are_wrong_with_any_other_exit_code(self):
        for ends in ("exit 1", "exit 2", "kill -SEGV $$", "kill -ABRT $$"):
            with self.subTest(ends):
                code, steps = self.run_steps(f'if [ "$1" = numbers ]; then echo because >&2; {ends}; fi')
                self.assertEqual((code, steps["numbers"]["status"]), (1, "WRONG"))
                self.assertEqual(steps["times"]["status"], "OK")

    def test_are_wrong_if_they_do_not_end(self):
        code, steps = self.run_steps('if [ "$1" = times ]; then exec sleep 60; fi', GPU_CHECK_STEP_SECONDS="1")
        self.assertEqual((code, steps["times"]["status"]), (1, "WRONG"))
        self.assertIn("did not end in 1 s", steps["times"]["why"])
        self.assertEqual(steps["bench"]["status"], "OK")

    def test_are_skipped_if_too_little_time_is_left(self):
        code, steps = self.run_steps("exit 0", seconds="100")
        self.assertEqual((code, steps["numbers"]["status"]), (0, "SKIPPED"))
        self.assertIn("it may take 120", steps["numbers"]["why"])

    def test_with_kernels_of_real_sizes_are_skipped_on_another_number_of_processors(self):
        code, steps = self.run_steps('if [ "$1" = processors ]; then exit 77; fi')
        self.assertEqual((code, steps["numbers"]["status"], steps["processors"]["status"]), (0, "OK", "SKIPPED"))
        self.assertNotIn("times", steps)
        self.assertNotIn("train", steps)


@unittest.skipUnless(CHECK and STANDIN, "CAVS_CUDA_CHECK and CAVS_CUDA_STANDIN name no program")
class CudaCheck(Folder):
    def check(self, *arguments, expected, like="processors=3 threads=64 compute=90", driver=STANDIN):
        result = subprocess.run([CHECK, *map(str, arguments)], capture_output=True, text=True, timeout=100, check=False,
                                env={**os.environ, "CAVS_CUDA_DRIVER": driver, "CAVS_NVRTC": STANDIN,
                                     "CAVS_STANDIN": like})
        self.assertEqual(result.returncode, expected, result.stderr)
        return result.stderr

    def prepare(self, bits):
        text = json.dumps({"small": True, "gpus": [[90, 3]], "bits": bits})
        (self.folder / "prepared.json").write_text(text, encoding="utf-8")

    def test_skips_only_gpus_without_kernels(self):
        self.prepare({})
        self.check("device", self.folder, expected=0)
        self.check("processors", self.folder, expected=0)
        missing = self.check("device", self.folder, expected=77, driver="/nowhere/libcuda.so.1")
        self.assertIn("there is no CUDA driver", missing)
        older = self.check("numbers", self.folder, expected=77, like="compute=80")
        self.assertIn("prepared for 3 processors of sm_90; a stand-in is sm_80: prepare with 80:3", older)
        smaller = self.check("times", self.folder, expected=77, like="processors=2 compute=90")
        self.assertIn("a stand-in has 2 of sm_90: prepare with 90:2", smaller)
        self.assertIn("there is no", self.check("numbers", "/nowhere", expected=1))

    def test_reports_a_gpu_that_fails_or_has_other_bits(self):
        names = [f"tree-lstm{more}" for more in (" fp32", " bf16", "-binary fp32, in all places",
                                                 "-binary bf16, in all places")]
        self.prepare(dict.fromkeys(names, "0123456789abcdef"))
        broken = self.check("numbers", self.folder, expected=1, like="processors=3 threads=64 compute=90 fail_launch=1")
        self.assertIn("a kernel was aborted", broken)
        cases = [json.loads(line) for line in self.check("numbers", self.folder, expected=1).splitlines()]
        self.assertEqual([case["right"] for case in cases], [False, True] * 2)  # bf16: a GPU's sums have another order
        for case in cases:
            self.assertEqual((case["near_reference"], case["same_bits_twice"], case["bits_of_fibers"]),
                             (True, True, False))

    def test_compares_losses(self):
        for name, losses in (("a", [1.0, 2.0]), ("near", [1.0001, 2.0]), ("far", [1.01, 2.0])):
            epochs = [{"train_loss": losses[0], "dev_loss": losses[1]}]
            (self.folder / name).write_text(json.dumps({"epochs": epochs}), encoding="utf-8")
        (self.folder / "none").write_text('{"epochs": []}', encoding="utf-8")
        self.check("same-loss", self.folder / "near", self.folder / "a", expected=0)
        self.check("same-loss", self.folder / "far", self.folder / "a", expected=1)
        self.check("same-loss", self.folder / "none", self.folder / "none", expected=1)
        self.check("same-loss", self.folder / "a", self.folder / "absent", expected=1)


if __name__ == "__main__":
    unittest.main()
