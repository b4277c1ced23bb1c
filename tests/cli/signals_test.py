"""Tests signals and limits during training, and two trainings that save to one file."""

import os
import re
import resource
import signal
import subprocess
import time
import unittest

from cavs_command import COMMAND, SIZES, TRAIN, TestCase, cavs, metadata, read_bytes

# This training would take hours.
ENDLESS = ["train", "tree-lstm", "--data", "listops:train=1000,test=0,length=30", *SIZES, "--epochs", "100000"]


class Running(TestCase):
    def start(self, *arguments, before=None):
        process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=before)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, condition, process):
        end = time.monotonic() + 120
        while not condition():
            self.assertIsNone(process.poll(), "ended too early")
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(0.01)

    def started(self, *arguments, before=None):
        """Starts a training, and returns it after it has saved an epoch."""
        file = self.path("a.cavs")
        process = self.start(*ENDLESS, "--save", file, *arguments, before=before)
        self.wait_for(lambda: os.path.exists(file), process)
        return process, file

    def ends(self, process):
        _, log = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, log)
        return log


class Signals(Running):
    def test_a_terminating_signal_saves_first(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            with self.subTest(signal=number.name):
                process, file = self.started()
                process.send_signal(number)
                self.assertRegex(self.ends(process),
                                 rf"{number.name}: stopped in epoch \d+ after \d+ of 1000 samples; saved")
                self.assertEqual(os.listdir(self.folder), ["a.cavs"])
                os.remove(file)

    def test_ignored_hangups_stay_ignored(self):
        process, _ = self.started(before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        self.assertIsNone(process.poll())

    def test_usr1_saves_and_continues(self):
        file = self.path("a.cavs")
        process = self.start(*ENDLESS, "--data", "listops:train=20000,test=0,length=30", "--hidden", "256", "--save",
                             file)
        self.wait_for(lambda: os.listdir(self.folder) == [".a.cavs.cavs-lock"], process)
        process.send_signal(signal.SIGUSR1)  # while data are loaded; a long epoch follows
        self.wait_for(lambda: os.path.exists(file), process)
        self.assertIn('"epoch":0', metadata(file)["position"])
        process.send_signal(signal.SIGTERM)
        log = self.ends(process)
        self.assertRegex(log, r"SIGUSR1 in epoch 1 after \d+ of 20000 samples: saving")
        self.assertRegex(log, r"SIGTERM: stopped in epoch 1")

    def test_the_limit_of_processor_time_saves_and_stops(self):
        process = self.start(*ENDLESS, "--save", self.path("a.cavs"),
                             before=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 60)))
        self.assertIn("SIGXCPU (the limit of processor time): stopped in epoch", self.ends(process))
        self.assertEqual(os.listdir(self.folder), ["a.cavs"])

    def test_the_limit_on_file_sizes_is_an_error_and_leaves_nothing(self):
        file = self.path("a.cavs")
        process = self.start(*TRAIN, "--epochs", "1", "--save", file,
                             before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        _, log = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1)
        self.assertIn("cannot save: writing: File too large; raise the limit on the size of files (ulimit -f)", log)
        self.assertEqual(os.listdir(self.folder), [])


class Lock(Running):
    def test_a_second_training_with_the_same_file_is_refused(self):
        process, file = self.started()
        os.symlink("a.cavs", self.path("link"))
        for name, option in (("a.cavs", "--overwrite"), ("link", "--overwrite"), ("a.cavs", f"--resume={file}")):
            result = cavs(*ENDLESS, "--save", self.path(name), option, check=1)
            self.assertRegex(result.stderr, r"--save .*another process is saving to this file; stop it \(SIGTERM lets")
        process.send_signal(signal.SIGTERM)
        self.ends(process)
        cavs(*TRAIN, "--epochs", "1", "--save", file, "--overwrite")

    def test_a_crash_leaves_no_lock(self):
        process, file = self.started()
        process.kill()
        process.wait()
        cavs(*TRAIN, "--epochs", "1", "--save", file, "--overwrite")
        self.assertEqual(os.listdir(self.folder), ["a.cavs"])


class Killed(Running):
    TRAIN = ["train", "tree-lstm", "--data", "listops:train=4000,test=20,length=30", *SIZES, "--epochs", "2"]

    def test_in_the_middle_of_an_epoch_resumes_to_the_same_bytes(self):
        whole, cut = self.path("whole.cavs"), self.path("cut.cavs")
        cavs(*self.TRAIN, "--save", whole)
        process = self.start(*self.TRAIN, "--save", cut, "--save-every", "7")
        self.wait_for(lambda: os.path.exists(cut), process)
        process.kill()
        self.assertEqual(process.wait(), -signal.SIGKILL)
        self.assertNotEqual(read_bytes(cut), read_bytes(whole))
        resumed = cavs(*self.TRAIN, "--save", cut, "--resume", cut)
        self.assertRegex(resumed.stderr, r"resumed .* after \d+ steps: epoch 1, [1-9]\d* of 4000 samples done")
        self.assertEqual(read_bytes(cut), read_bytes(whole))


class ChangingText(Running):
    def test_of_equal_size_is_detected(self):
        text = self.write("t.txt", "one two three\n" * 200)
        process = self.start("train", "gru", "--data", f"text:{text}", *SIZES, "--stream", "20", "--epochs", "100000",
                             "--save", self.path("a.cavs"))
        self.wait_for(lambda: os.path.exists(self.path("a.cavs")), process)
        with open(text, "r+", encoding="utf-8") as file:
            file.write("two one")
        _, log = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(log, re.escape(text) + ": the file has changed while it was in use")


if __name__ == "__main__":
    unittest.main()
