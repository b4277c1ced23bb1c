"""Tests files of options: their contents, precedence, and the round trip through --print-config."""

import json
import os
import pathlib
import re
import unittest

from cavs_command import DATA, SIZES, TRAIN, TestCase, cavs, read_bytes


class Config(TestCase):
    def config(self, text):
        return self.write("run.toml", text)

    def printed(self, *arguments):
        return cavs("train", *arguments, "--print-config").stdout

    def option(self, key, *arguments):
        """Returns the final value of an option."""
        for line in self.printed(*arguments).splitlines():
            if line.startswith(f"{key} = "):
                return line.removeprefix(f"{key} = ")
        return None

    def refused(self, text, message, *arguments, code=2):
        log = cavs("train", "tree-lstm", "--config", self.config(text), *arguments, check=code).stderr
        self.assertIn(message, log)

    def test_gives_options_that_the_command_line_lacks(self):
        file = self.config('hidden = 32\nlr = 0.5\noverwrite = true\ndisable = ["fuse", "simplify"]\n')
        for key, value in {"hidden": "32", "lr": "[0.5]", "overwrite": "true", "disable": '["fuse", "simplify"]',
                           "embedding": "64"}.items():
            self.assertEqual(self.option(key, "tree-lstm", "--config", file), value)
        self.assertEqual(self.option("hidden", "tree-lstm", "--config", file, "--hidden", "7"), "7")
        self.assertEqual(self.option("disable", "tree-lstm", "--config", file, "--disable", "fuse"), '["fuse"]')
        self.assertEqual(self.option("overwrite", "tree-lstm", "--config", file, "--overwrite=false"), "false")

    def test_sections_override_the_keys_above_them(self):
        file = self.config("threads = 1\njson = true\n[train]\nthreads = 2\njson = false\n[eval]\nbatch-size = 3\n")
        self.assertEqual(self.option("threads", "tree-lstm", "--config", file), "2")
        self.assertEqual(self.option("json", "tree-lstm", "--config", file), "false")
        self.assertEqual(self.option("batch-size", "tree-lstm", "--config", file), "64")

    def test_flags_of_other_commands_are_ignored_silently(self):
        for text, quiet in (("[eval]\nquiet = true", False), ("quiet = true", True), ("[train]\nquiet = true", True)):
            with self.subTest(text=text):
                log = cavs(*TRAIN, "--epochs", "1", "--config", self.config(text)).stderr
                self.assertEqual(log == "", quiet)

    def test_arguments_are_keys_too(self):
        self.assertEqual(self.option("model", "--config", self.config('model = "tree-fc"\n')), '"tree-fc"')
        self.assertIn("unknown model 'tree-lsmt'", cavs("train", "--config", self.config('model = "tree-lsmt"'),
                                                        check=2).stderr)

    def test_text_follows_toml(self):
        for written, data in ((r'"trees:a#b.txt" # why', "trees:a#b.txt"), (r"'trees:a\n'", r"trees:a\n"),
                              (r'"trees:\u00e9 \"x\", y"', 'trees:é "x", y')):
            self.assertEqual(json.loads(self.option("data", "tree-lstm", "--config", self.config(f"data = {written}\n"))),
                             data)

    def test_values_follow_toml(self):
        for text, key, value in (('disable = [\n  "fuse",  # a\n  "eager",\n]', "disable", '["fuse", "eager"]'),
                                 ("hidden = 0x20", "hidden", "32"), ("hidden = 1_000 # one", "hidden", "1000"),
                                 ("train.hidden = 32", "hidden", "32"), ('"hidden" = 32', "hidden", "32"),
                                 ("[train]\r\nhidden = 32\r\n", "hidden", "32")):
            with self.subTest(text=text):
                self.assertEqual(self.option(key, "tree-lstm", "--config", self.config(text)), value)

    def test_an_option_of_the_file_counts_as_given(self):
        file = self.config('[bench]\npreset = "ed-batch"\nbatch-size = 4\nlimit = 8\nhidden = 8\nepochs = 1\njson = true\n')
        result = cavs("bench", "tree-gru", "--config", file).stdout
        self.assertNotIn('"results"', result)  # so the preset uses one batch size
        self.assertIn('"batch_size":4', result)
        self.assertIn("dot", cavs("inspect", "tree-fc", "--passes", "--config", self.config("dot = true"), check=2).stderr)
        self.refused("save-every = 5", "add --save FILE")

    def test_printed_options_read_back_the_same(self):
        arguments = ["tree-lstm", "--data", DATA, *SIZES, "--epochs", "2", "--lr", ".01", "--disable", "fuse", "--clip",
                     "5", "--save", self.path('a "b" # c\\é.cavs'), "--sparse-updates", "--memory-limit", "1 GiB"]
        text = self.printed(*arguments)
        file = self.config(text)
        self.assertEqual(self.printed("--config", file), text)

    def test_printed_options_give_no_warnings(self):
        file = self.config(self.printed(*TRAIN[1:]))
        self.assertNotIn("has no effect", cavs("train", "--config", file).stderr)
        changed = self.config(self.printed(*TRAIN[1:], "--decay-patience", "9"))
        self.assertIn("--decay-patience has no effect", cavs("train", "--config", changed).stderr)

    def test_printing_has_no_other_effect(self):
        self.printed("tree-lstm", "--save", self.path("a.cavs"))
        self.assertEqual(os.listdir(self.folder), [])

    def test_resuming_compares_values_from_any_source(self):
        save = self.path("a.cavs")
        cavs(*TRAIN, "--epochs", "1", "--save", save)
        file = self.config(f'data = "{DATA}"\nhidden = 8\nembedding = 4\nbatch-size = 16\nepochs = 2\n')
        cavs("train", "tree-lstm", "--config", file, "--resume", save, "--save", save)
        cavs(*TRAIN, "--epochs", "2", "--save", self.path("b.cavs"))
        self.assertEqual(read_bytes(save), read_bytes(self.path("b.cavs")))

    def test_a_key_of_many_parts_does_not_exhaust_the_stack(self):
        key = ".".join("a" * 8000)
        self.refused(f"{key} = 3", ":1: unknown section 'a'")
        self.refused(f"[{key}]", ":1: unknown section 'a'")
        self.refused(f"train.{key[:-6]} = 3", ":1: 'cavs train' has no option 'a'")
        self.refused(f"{key}.{key} = 3", "has 32003 bytes; at most 16384 are accepted", code=1)

    def test_the_file_in_the_documentation_is_valid(self):
        page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference" / "command-line.md"
        [text] = re.findall(r"(?ms)^```toml\n(.*?)^```$", page.read_text(encoding="utf-8"))
        self.assertEqual(self.option("save", "--config", self.config(text)), '"sst.cavs"')
        self.assertIn("sst.cavs", cavs("eval", self.path("sst.cavs"), "--config", self.config(text), check=1).stderr)


if __name__ == "__main__":
    unittest.main()
