"""Kills a random rank at 20 random moments, and resumes with another number of ranks each time.

The final bytes are those of one uninterrupted process.
"""

import os
import random
import signal
import subprocess
import time
import unittest

from cavs_command import COMMAND, TestCase, cavs, read_bytes
from ranks_test import children, is_there

TRAIN = ["train", "tree-lstm", "--data", "listops:train=800,test=50,length=30", "--batch-size", "4", "--accumulate", "6",
         "--dropout", "0.1", "--clip", "5", "--ema", "0.9", "--threads", "1", "--epochs", "30", "--save-every", "3"]
KILLS = 20


class KilledRanks(TestCase):
    def test_resume_to_the_bytes_of_one_process(self):
        one, file = self.path("one.cavs"), self.path("a.cavs")
        begin = time.monotonic()
        cavs(*TRAIN, "--save", one)
        seconds = time.monotonic() - begin
        draw = random.Random(5)
        kills = 0
        while kills < KILLS:
            ranks = draw.choice([2, 3, 4, 6])
            resume = ["--resume", file] if os.path.exists(file) else []
            process = subprocess.Popen([COMMAND, *TRAIN, "--save", file, *resume, "--launch", str(ranks)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(draw.uniform(0.05, 0.05 + 2 * seconds / KILLS))
            processes = children(process.pid) if process.poll() is None else []
            if processes:
                os.kill(draw.choice(processes), signal.SIGKILL)
            said = process.communicate(timeout=300)[1]
            self.assertEqual([p for p in processes if is_there(p)], [])
            if process.returncode == 0:
                break  # training had finished
            self.assertIn("was killed by signal 9", said)
            kills += 1
        cavs(*TRAIN, "--save", file, "--resume", file, "--launch", "2")
        print(f"{kills} ranks were killed")
        self.assertEqual(read_bytes(file), read_bytes(one))


class LongRanks(TestCase):
    def test_print_no_progress_before_it_is_due(self):
        """A line of progress is due after ten seconds."""
        process = subprocess.Popen([COMMAND, *TRAIN[:-2], "--epochs", "1000000", "--launch", "2"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(12)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=300)[1]
        self.assertEqual(process.returncode, 0, said)
        self.assertIn("SIGINT: stopped in epoch", said)


if __name__ == "__main__":
    unittest.main()
