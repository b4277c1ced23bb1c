"""An output never replaces an input, another output, or an existing file without permission."""

import os
import resource
import subprocess
import unittest

from cavs_command import COMMAND, SIZES, TestCase, cavs, one_object, read_bytes

READ = "this is the file that --data reads"
TREES = "(1 (0 a) (1 b))\n" * 8


class OutputFiles(TestCase):
    def setUp(self):
        super().setUp()
        self.data = self.write("t.txt", TREES)
        self.train = ["train", "tree-lstm", "--data", f"trees:{self.data}", *SIZES, "--epochs", "1"]

    def refused(self, message, *arguments):
        """Checks that the command fails with the message, and that the files in the folder have not changed."""
        def files():
            return {entry.name: read_bytes(entry.path) for entry in os.scandir(self.folder) if entry.is_file()}
        before = files()
        self.assertIn(message, cavs(*arguments, check=1).stderr)
        self.assertEqual(files(), before)

    def test_an_output_must_not_be_an_input(self):
        self.refused(READ, *self.train, "--save", self.data, "--overwrite")
        self.refused(READ, *self.train, "--curve", self.data, "--overwrite")
        self.refused(READ, "learn-policy", *self.train[1:4], "--overwrite", "-o", self.data)
        self.refused(READ, "schedule", *self.train[1:4], "--overwrite", "--svg", self.data)
        self.refused(READ, "bench", *self.train[1:4], "--overwrite", "--ablate", "--svg",
                     self.data)

    def test_links_and_other_names_of_an_input_are_found(self):
        os.symlink("t.txt", self.path("symbolic"))
        os.link(self.data, self.path("hard"))
        for name in ("symbolic", "hard", f"../{os.path.basename(self.folder)}/t.txt"):
            with self.subTest(name=name):
                self.refused(READ, *self.train, "--overwrite", "--save", self.path(name))

    def test_the_best_file_must_not_be_the_resumed_one(self):
        cavs(*self.train, "--save", self.path("a.cavs"))
        self.refused("this is the file that --resume reads", *self.train, "--resume", self.path("a.cavs"),
                     "--save-best", self.path("a.cavs"))

    def test_closed_streams_are_not_reused_as_files(self):
        saved = self.path("a.cavs")
        command = f"exec {COMMAND} {' '.join(self.train)} --save {saved} <&- >/dev/null 2>&-"
        subprocess.run(["bash", "-c", command], check=True)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.cavs", "t.txt"])
        # It is still an error if results cannot be written.
        self.assertEqual(subprocess.run(["bash", "-c", f"exec {COMMAND} models >&-"], check=False, stderr=subprocess.DEVNULL).returncode, 1)

    def test_an_output_must_not_be_a_temporary_file(self):
        data = self.write("a.cavs.tmp", TREES)
        self.refused("which --data reads", "train", "tree-lstm", "--data", f"trees:{data}",
                     *SIZES, "--save", self.path("a.cavs"))

    def test_every_file_of_the_data_is_an_input(self):
        os.mkdir(self.path("sst"))
        for part in ("train.txt", "dev.txt"):
            self.write(f"sst/{part}", TREES)
        dev = self.path("sst/dev.txt")
        for spec in (f"trees:train={self.data},dev={dev}", f"sst:{self.path('sst')}"):
            self.refused(READ, "train", "tree-lstm", "--data", spec, *SIZES, "--overwrite",
                         "--save", dev)

    def test_policies_and_checkpoints_are_inputs(self):
        policy, checkpoint = self.path("p.json"), self.path("a.cavs")
        cavs("learn-policy", *self.train[1:4], "-o", policy)
        self.refused("this is the file that --policy reads", *self.train, "--policy", f"fsm:{policy}", "--overwrite",
                     "--save", policy)
        cavs(*self.train, "--save", checkpoint)
        self.refused("this is the file that --resume reads", *self.train, "--resume", checkpoint, "--overwrite",
                     "--curve", checkpoint)

    def test_two_outputs_must_differ(self):
        for name in ("q", "./q", "q.tmp"):
            with self.subTest(name=name):
                self.refused("would overwrite each other", *self.train, "--save", self.path("q"), "--curve",
                             os.path.join(self.folder, name), "--overwrite")

    def test_existing_files_are_replaced_only_on_request(self):
        checkpoint, curve = self.path("a.cavs"), self.path("a.svg")
        train = [*self.train, "--save", checkpoint]
        cavs(*train)
        self.refused(f"the file already exists; give another name, --resume {checkpoint} to continue its training, or "
                     "--overwrite to replace it", *train)
        first = read_bytes(checkpoint)
        cavs(*train, "--seed", "2", "--overwrite")
        self.assertNotEqual(read_bytes(checkpoint), first)
        cavs(*train, "--seed", "2", "--epochs", "2", "--resume", checkpoint, "--curve", curve)
        cavs(*train, "--seed", "2", "--epochs", "3", "--resume", checkpoint)
        self.refused("the file already exists; give another name, or --overwrite", *self.train, "--curve", curve)
        other = self.write("other", "mine")
        self.refused("the file already exists", *self.train, "--resume", checkpoint, "--save", other)
        self.refused("the file already exists", "learn-policy", *self.train[1:4], "-o", other)
        self.refused("the file already exists", "schedule", *self.train[1:4], "--svg", other)

    def test_a_link_is_kept_and_its_target_written(self):
        os.mkdir(self.path("runs"))
        os.symlink("runs/1.cavs", self.path("last"))
        train = [*self.train, "--save", self.path("last")]
        for more in ((), ("--overwrite",), ("--resume", self.path("runs/1.cavs"), "--epochs", "2")):
            cavs(*train, *more)
            self.assertTrue(os.path.islink(self.path("last")))
            self.assertTrue(os.path.isfile(self.path("runs/1.cavs")))
        self.assertEqual(os.listdir(self.path("runs")), ["1.cavs"])

    def test_unusable_outputs_are_found_before_training(self):
        os.mkdir(self.path("folder.tmp"))
        for option in ("--save", "--curve"):
            result = cavs(*self.train, option, self.path("folder"), check=1)
            self.assertIn("folder.tmp is a directory; remove it", result.stderr)
            self.assertEqual(result.stdout, "")

    def test_too_few_descriptors_are_found_before_training(self):
        with open(COMMAND, "rb") as command:
            if b"__ubsan_handle" in command.read():
                self.skipTest("UndefinedBehaviorSanitizer needs a descriptor of its own for its check of types")
        for limit in (6, 8, 10):
            result = subprocess.run([COMMAND, *self.train, "--save", self.path("a.cavs")],
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)),
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertRegex(result.stderr, r"^cavs: error: too many open files: .*\(ulimit -n\)")
            self.assertEqual(os.listdir(self.folder), ["t.txt"])


class OtherData(TestCase):
    def test_for_development_need_an_option_and_are_not_compared(self):
        checkpoint, curve = self.path("a.cavs"), self.path("a.svg")
        def train(test, *more, **keywords):
            return cavs("train", "tree-lstm", "--data", f"listops:train=60,test={test},length=20", *SIZES, "--save",
                        checkpoint, "--json", *more, **keywords)
        train(20, "--epochs", "2")
        result = train(30, "--epochs", "3", "--resume", checkpoint, check=1)
        self.assertRegex(result.stderr, r"\(or with --new-dev\):\n  content of the development data: \w{16} in the")
        report = one_object(train(30, "--epochs", "4", "--resume", checkpoint, "--new-dev", "--curve", curve).stdout)
        here = {epoch["epoch"]: epoch["dev_root_accuracy"] for epoch in report["epochs"]}
        self.assertEqual(list(here), [3, 4])
        self.assertEqual(report["best_epoch"], max(here, key=here.get))
        self.assertEqual(read_bytes(curve).count(b"<circle"), 4 + 2 + 2)

    def test_for_development_may_be_added_when_resuming(self):
        train = ["train", "tree-lstm", *SIZES, "--save", self.path("a.cavs")]
        cavs(*train, "--data", "listops:train=60,test=0,length=20", "--epochs", "2")
        report = one_object(cavs(*train, "--data", "listops:train=60,test=20,length=20", "--epochs", "3", "--json",
                                 "--resume", self.path("a.cavs"), "--new-dev").stdout)
        self.assertEqual(report["best_epoch"], 3)

    def test_with_other_tags_are_refused(self):
        checkpoint = self.path("a.cavs")
        for tag in ("PER", "LOC"):
            data = self.write("t.conll", f"John I-{tag}\nsleeps O\n")
            resume = ["--resume", checkpoint] if os.path.exists(checkpoint) else []
            result = cavs("train", "bilstm-tagger", "--data", f"conll:{data}", *SIZES, "--save", checkpoint, "--epochs",
                          "1", *resume, check=1 if resume else 0)
        self.assertRegex(result.stderr, r'has the classes \[.*"I-PER"\], but the data have \[.*"I-LOC"\]; resume with')


if __name__ == "__main__":
    unittest.main()
