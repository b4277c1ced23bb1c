"""Lets each call that opens, writes, syncs or renames an output fail in turn. Expects an error and complete files."""

import errno
import os
import re
import shutil
import tempfile
import unittest

from cavs_command import SIZES, TestCase, cavs, read_bytes

LIBRARY = os.environ.get("CAVS_FAILING_WRITES", "")
TEXT = "text:train={0}/t.txt,dev={0}/t.txt"
SAVE = ["train", "gru", "--data", TEXT, *SIZES, "--optimizer", "sgd", "--overwrite", "--save", "{0}/a.cavs"]
TRAIN = [*SAVE, "--save-best", "{0}/best.cavs", "--history", "{0}/h.jsonl", "--curve", "{0}/c.svg"]
RESUME = [*TRAIN, "--epochs", "2", "--resume", "{0}/a.cavs"]

# Ways to fail and the resulting errors (see failing_writes.cc).
ERRORS = {"once": errno.EIO, "full": errno.ENOSPC}

# The files that are new if one file of a training cannot be written.
STATES = [set(), {"h.jsonl"}, {"h.jsonl", "best.cavs"}, {"h.jsonl", "best.cavs", "a.cavs"}]

MEMORY = "/dev/shm"  # syncing does not wait for a disk here


class FailingWrites(TestCase):
    def setUp(self):
        super().setUp()
        if os.access(MEMORY, os.W_OK):
            folder = tempfile.TemporaryDirectory(dir=MEMORY)
            self.addCleanup(folder.cleanup)
            self.folder = folder.name
        self.folder = os.path.realpath(self.folder)
        self.before, self.place, self.log = self.path("before"), self.path("place"), self.path("log")
        os.mkdir(self.before)
        with open(os.path.join(self.before, "t.txt"), "w", encoding="utf-8") as file:
            file.write("one two three two\n" * 4)

    @staticmethod
    def files(folder):
        """Returns the contents of each file without times, which differ between runs."""
        return {name: re.sub(rb'"(seconds|samples_per_second)":[^,}]*', b"", read_bytes(os.path.join(folder, name)))
                for name in os.listdir(folder)}

    def run_in_place(self, arguments, check=0, **failures):
        return cavs(*(argument.format(self.place) for argument in arguments), check=check, variables={
            "LD_PRELOAD": LIBRARY, "CAVS_FAIL_FOLDER": self.place, "CAVS_FAIL_LOG": self.log,
            **{f"CAVS_FAIL_{name}": value for name, value in failures.items()}})

    def run_in_copy(self, arguments, check=0, **failures):
        """Runs the command in a copy of the folder `before`. Returns its log, the files, and the calls that it made."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.before, self.place)
        if os.path.exists(self.log):
            os.remove(self.log)
        result = self.run_in_place(arguments, check, **failures)
        with open(self.log, encoding="utf-8") as file:
            return result.stderr, self.files(self.place), [line.split() for line in file]

    def fail_each(self, how, arguments):
        """Lets each call of the command fail in turn. Returns the calls, and the sets of new files."""
        _, after, calls = self.run_in_copy(arguments)
        states = []
        for n, (name, path, _) in enumerate(calls):
            with self.subTest(call=name, path=path, n=n, how=how):
                # The file is saved even if opening or syncing its folder fails.
                saved = path == self.place and (how == "once" or all(at == self.place for _, at, _ in calls[n:]))
                log, files, made = self.run_in_copy(arguments, check=0 if saved else 1, AT=str(n), HOW=how)
                self.assertEqual((made[:n], made[n][:2]), (calls[:n], [name, path]))
                self.assertIn("failed", [result for _, _, result in made])
                if saved:
                    self.assertRegex(log, "cavs: .*: saved, but its directory could not be synced")
                    self.assertEqual(files, after)
                    continue
                self.check_message(log, path, ERRORS[how])
                self.check_files(files, made, after)
                new = {name for name in files if files[name] == after[name]}
                if new not in states:
                    states.append(new)
                    self.run_in_place(arguments)
                    self.assertEqual(self.files(self.place), after)
        return calls, states

    def check_message(self, log, path, error):
        """Checks that the last line names the user's file and the cause."""
        last = log.splitlines()[-1]
        self.assertIn("cavs: error: ", last)
        self.assertIn(os.strerror(error), last)
        name = re.sub(r"^\.|\.tmp$|\.cavs-lock$", "", os.path.basename(path))
        self.assertIn(self.place if path == self.place else os.path.join(self.place, name), last)

    def check_files(self, files, calls, after):
        """Checks that each file is unchanged, or the new one if that was renamed."""
        renamed = {os.path.basename(path) for name, path, result in calls if name == "rename" and result == "ok"}
        self.assertEqual(files, {**self.files(self.before), **{name: after[name] for name in renamed}})
        for name in os.listdir(self.before):
            modes = [os.stat(os.path.join(folder, name)).st_mode for folder in (self.before, self.place)]
            self.assertEqual(modes[0], modes[1], name)

    def test_in_a_first_training(self):
        calls, states = self.fail_each("full", [*SAVE, "--epochs", "1"])
        self.assertGreater(len(calls), 15)
        self.assertEqual(states, [{"t.txt"}])

    def test_in_a_resumed_training(self):
        self.run_in_copy([*TRAIN, "--epochs", "1"])
        shutil.copytree(self.place, self.before, dirs_exist_ok=True)
        for name in ("a.cavs", "best.cavs", "h.jsonl", "c.svg"):
            os.chmod(os.path.join(self.before, name), 0o600)
        for how in ERRORS:
            calls, states = self.fail_each(how, RESUME)
            self.assertGreater(len(calls), 50)
            self.assertEqual({name for name, _, _ in calls},
                             {"open", "write", "ftruncate", "fchmod", "fsync", "rename"})
            self.assertEqual(states, [new | {"t.txt"} for new in STATES])

    def test_in_other_commands(self):
        for arguments in (["learn-policy", "gru", "--data", TEXT, "-o", "{0}/p.json", "--overwrite"],
                          ["schedule", "gru", "--data", TEXT, "--svg", "{0}/s.svg", "--overwrite"]):
            for how in ERRORS:
                calls, states = self.fail_each(how, arguments)
                self.assertEqual((len(calls), len(states)), (8, 1))

    def test_a_short_write_is_continued(self):
        arguments = [*TRAIN, "--epochs", "1"]
        _, whole, calls = self.run_in_copy(arguments)
        _, files, more = self.run_in_copy(arguments, HOW="short")
        self.assertGreater(len(more), 2 * len(calls))
        self.assertEqual(files, whole)


if __name__ == "__main__":
    if not LIBRARY:
        print("no library to preload: CAVS_FAILING_WRITES names none, as in builds with sanitizers")
        raise SystemExit(77)
    unittest.main()
