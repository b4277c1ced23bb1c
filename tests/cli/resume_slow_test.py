"""Training that is stopped and resumed ends with the same bytes as training that never stopped."""

import os
import signal
import subprocess
import time
import unittest

from cavs_command import COMMAND, SIZES, TRAIN, TestCase, cavs, read_bytes

LONG = ["train", "tree-lstm", "--data", "listops:train=4000,test=20,length=30", *SIZES, "--epochs", "2"]


class Resume(TestCase):
    def start(self, *arguments):
        process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, path, process):
        deadline = time.monotonic() + 120
        while not os.path.exists(path):
            self.assertIsNone(process.poll(), "training ended before it saved")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)

    def test_killed_in_the_middle_of_an_epoch(self):
        whole, cut = self.path("whole.cavs"), self.path("cut.cavs")
        cavs(*LONG, "--save", whole)
        process = self.start(*LONG, "--save", cut, "--save-every", "7")
        self.wait_for(cut, process)
        process.kill()
        self.assertEqual(process.wait(), -signal.SIGKILL)
        self.assertNotEqual(read_bytes(cut), read_bytes(whole))
        resumed = cavs(*LONG, "--save", cut, "--resume", cut)
        self.assertRegex(resumed.stderr, r"resumed .* after \d+ steps: epoch 1, [1-9]\d* of 4000 samples done")
        self.assertEqual(read_bytes(cut), read_bytes(whole))

    def test_interrupted_saves_and_ends(self):
        whole, cut = self.path("whole.cavs"), self.path("cut.cavs")
        cavs(*LONG, "--save", whole)
        process = self.start(*LONG, "--save", cut, "--save-every", "7")
        self.wait_for(cut, process)
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        self.assertRegex(log, r"stopped in epoch \d after \d+ of 4000 samples; saved .*go on with.*--resume")
        cavs(*LONG, "--save", cut, "--resume", cut)
        self.assertEqual(read_bytes(cut), read_bytes(whole))

    def test_after_the_first_epoch_with_every_optimizer(self):
        for options in (["--optimizer", "sgd", "--momentum", "0.9", "--lr", "0.1"], ["--optimizer", "adagrad"],
                        ["--optimizer", "adam", "--dropout", "0.5"],
                        ["--optimizer", "adamw", "--clip", "1", "--warmup", "3", "--decay", "exponential"]):
            with self.subTest(options=options):
                whole, half = self.path("whole.cavs"), self.path("half.cavs")
                cavs(*TRAIN, *options, "--epochs", "2", "--save", whole, "--overwrite")
                cavs(*TRAIN, *options, "--epochs", "1", "--save", half, "--overwrite")
                cavs(*TRAIN, *options, "--epochs", "2", "--resume", half, "--save", half)
                self.assertEqual(read_bytes(half), read_bytes(whole))

    def test_what_is_done_is_not_trained_again(self):
        file = self.path("a.cavs")
        cavs(*TRAIN, "--epochs", "1", "--save", file)
        before = read_bytes(file)
        cavs(*TRAIN, "--epochs", "1", "--save", file, "--resume", file)
        self.assertEqual(read_bytes(file), before)

    def test_other_options_are_refused(self):
        file = self.path("a.cavs")
        cavs(*TRAIN, "--epochs", "1", "--save", file)
        for option, value, message in (("--batch-size", "8", "--batch-size: 16 in the checkpoint, 8 here"),
                                       ("--hidden", "9", "--hidden: 8 in the checkpoint, 9 here"),
                                       ("--lr", "0.5", "optimizer's lr: 0.001 in the checkpoint, 0.5 here"),
                                       ("--seed", "2", "--seed: 1 in the checkpoint, 2 here"),
                                       ("--clip", "2", "--clip: 0 in the checkpoint, 2 here"),
                                       ("--limit", "30", "samples: 60 in the checkpoint, 30 here"),
                                       ("--data", "listops:train=60,test=20,length=21", "content of the data"),
                                       ("--data", "listops:train=60,test=21,length=20",
                                        "content of the development data")):
            with self.subTest(option=option):
                result = cavs(*TRAIN, "--epochs", "2", "--resume", file, option, value, check=1)
                self.assertIn(message, result.stderr)


class SameBits(TestCase):
    def test_whatever_the_number_of_threads(self):
        files = [self.path("1.cavs"), self.path("2.cavs")]
        for file, threads in zip(files, ("1", "2")):
            cavs(*TRAIN, "--epochs", "2", "--threads", threads, "--save", file)
        self.assertEqual(read_bytes(files[0]), read_bytes(files[1]))

    def test_of_two_runs_with_one_seed_and_others_with_another(self):
        files = [self.path(name) for name in ("a", "b", "c")]
        for file, seed in zip(files, ("5", "5", "6")):
            cavs(*TRAIN, "--epochs", "1", "--seed", seed, "--save", file)
        self.assertEqual(read_bytes(files[0]), read_bytes(files[1]))
        self.assertNotEqual(read_bytes(files[0]), read_bytes(files[2]))


if __name__ == "__main__":
    unittest.main()
