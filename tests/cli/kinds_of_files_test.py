"""Files as they occur in practice, through the command: train, data and predict read them correctly or give advice."""

import bz2
import json
import lzma
import os
import subprocess
import unittest

from cavs_command import COMMAND, SIZES, TestCase, cavs, one_object

QUICK = [*SIZES, "--epochs", "1"]


class Kinds(TestCase):
    def data(self, spec):
        return cavs("data", spec, "--json")

    def train(self, model, spec, *options):
        return cavs("train", model, "--data", spec, *QUICK, "--save", self.path("m.cavs"), "--overwrite", *options)

    def predict(self, text="", *options, check=0):
        return cavs("predict", self.path("m.cavs"), *options, stdin=text, check=check)

    def answers(self, text="", *options):
        return [json.loads(line) for line in self.predict(text, *options).stdout.splitlines()]

    def test_columns_are_reported_by_train_and_data(self):
        file = self.write("g.tsv", "1\tIn\tO\tO\n2\tTroia\tB-OTH\tB-LOC\n3\tTraum\tI-OTH\tO\n\n1\tFC\tB-ORG\tO\n\n")
        for said in (self.data(f"conll:{file}").stderr, self.train("bilstm-tagger", f"conll:{file}").stderr):
            self.assertIn("column 3 looks like tags, too: tag=3", said)
        self.train("bilstm-tagger", f"conll:{file},token=2,tag=3")
        tagged = self.answers("1\tIn\tO\tO\n2\tTroia\tB-OTH\tB-LOC\n\n")
        self.assertEqual(tagged[0]["tokens"], ["In", "Troia"])
        self.assertEqual(tagged[0]["expected"], ["O", "B-OTH"])
        self.assertEqual(self.answers("", "--data", f"conll:{file},token=2,tag=3")[0]["tokens"], ["In", "Troia", "Traum"])

    def test_parts_of_speech_have_no_f1(self):
        file = self.write("pos.conll", "the DT\ndog NN\n\na DT\ncat NN\n")
        refused = cavs("train", "bilstm-tagger", "--data", f"conll:{file}", *QUICK, check=1)
        self.assertIn("tags=none", refused.stderr)
        spec = f"conll:train={file},dev={file},tags=none"
        table = self.train("bilstm-tagger", spec).stdout
        self.assertNotIn("F1", table)
        self.assertIn("accuracy", table)
        self.assertNotIn("entity_f1", cavs("eval", self.path("m.cavs"), "--json").stdout)
        self.assertIn("not trained on such tags", self.predict("the dog\n", "--spans", check=1).stderr)

    def test_bare_tags_are_entities(self):
        file = self.write("io.conll", "RAB PART\nRAB PART\n1/2010 YEAR\nVgl. O\n\n" * 4)
        self.train("bilstm", f"conll:{file},tags=io", "--epochs", "60", "--lr", "0.05")
        answer = self.answers("RAB RAB 1/2010 Vgl.\n", "--spans")[0]
        self.assertEqual([(e["begin"], e["end"], e["class"]) for e in answer["entities"]], [(0, 2, "PART"), (2, 3, "YEAR")])

    def test_a_sentence_may_end_in_a_tag(self):
        file = self.write("t.conll", "Anna B-PER\nis O\n\nH B-X\n")
        self.train("bilstm-tagger", f"conll:{file}")
        answers = self.answers("The blood group of Anna is O\nH 2 O\n")
        self.assertEqual([len(answer["tokens"]) for answer in answers], [7, 3])
        self.assertIn("7 of 10 words are unknown to the model", self.predict("The blood group of Anna is O\nH 2 O\n").stderr)

    def test_published_expressions_are_read_as_expressions(self):
        file = self.write("ops.tsv", "Source\tTarget\n( ( ( [MAX 2 ) 7 ) ] )\t7\n( ( [SM 6 ) ] )\t6\n")
        self.train("tree-lstm", f"listops:train={file},dev={file}")
        plain = self.answers("[MAX 2 7]\n")[0]
        self.assertEqual(self.answers("( ( ( [MAX 2 ) 7 ) ] )\n")[0], plain)
        self.assertEqual(plain["label"], 7)
        self.assertEqual(len(self.answers("", "--data", f"listops:{file}")), 2)
        self.assertNotIn("unknown", self.predict("( ( [SM 6 ) ] )\n").stderr)

    def test_labels_are_optional_for_prediction(self):
        file = self.write("a.tsv", "sentence\tlabel\nit is x\t1\nwell\t0\n")
        self.train("tree-lstm", f"table:{file},text=sentence,label=label")
        for name, text in {"hidden.tsv": "sentence\tlabel\nit is x\t-1\n", "none.tsv": "index\tsentence\n0\tit is x\n"}.items():
            spec = f"table:{self.write(name, text)},text=sentence"
            for target in (",label=label", ""):
                self.assertNotIn("label", self.answers("", "--data", spec + target)[0])
        refused = cavs("eval", self.path("m.cavs"), "--data", f"table:{self.path('hidden.tsv')},text=sentence,label=label",
                       check=1)
        self.assertIn("no labels to compare with", refused.stderr)

    def test_scores_of_another_range_are_predicted_in_it(self):
        file = self.write("sts.tsv", "index\tsentence1\tsentence2\tscore\n0\ta plane\ta plane\t5.0\n1\ta man\ta dog\t0.0\n")
        spec = f"table:{file},text=sentence1,pair=sentence2,score=score"
        self.assertIn("range=LOW:HIGH", cavs("data", spec, check=1).stderr)
        self.train("tree-lstm-relatedness", spec + ",range=0:5")
        answers = self.answers("", "--data", spec + ",range=0:5")
        self.assertEqual([answer["expected"] for answer in answers], [5, 0])
        self.assertTrue(all(0 <= answer["score"] <= 5 for answer in answers))

    def test_classes_without_labels_give_a_warning(self):
        one = self.write("one.csv", "text,label\na,x\nb,x\n")
        gap = self.write("gap.csv", "text,label\na,0\nb,1000\n")
        for spec, says in ((f"table:{one},text=text,label=label", "of one class, 'x'"),
                           (f"table:{gap},text=text,label=label", "999 of 1001 classes have no label")):
            for said in (self.data(spec).stderr, self.train("tree-lstm", spec).stderr):
                self.assertIn(says, said)
            self.assertIn(says, json.loads(self.data(spec).stdout)["warnings"][0])

    def test_names_that_look_alike_are_reported(self):
        file = self.write("nfc.csv", "text,label\nPh\u00fa a\u200bb 01,\u0110\u1ea3o\nPhu\u0301 ab 1,\u0110a\u0309o\n")
        odd = {o["name"]: o for o in one_object(self.data(f"table:{file},text=text,label=label").stdout)["oddities"]}
        self.assertEqual(odd["look_alike_classes"]["count"], 1)
        self.assertEqual(odd["look_alike_words"]["count"], 2)
        zeros = self.write("zeros.csv", "text,label\na,01\nb,1\n")
        result = one_object(self.data(f"table:{zeros},text=text,label=label").stdout)
        self.assertEqual(result["classes"], ["01", "1"])
        self.assertIn("look_alike_classes", [o["name"] for o in result["oddities"]])

    def test_compressed_files_are_reported_with_a_command(self):
        text = b"(1 (0 the) (0 cat))\n"
        zstd = bytes.fromhex("28b52ffd2014a10000") + text  # one uncompressed block
        files = {"t.xz": lzma.compress(text), "t.bz2": bz2.compress(text), "t.zst": zstd}
        commands = {"t.xz": "xz -d", "t.bz2": "bzip2 -d", "t.zst": "zstd -d"}
        for name, packed in files.items():
            with open(self.path(name), "wb") as file:
                file.write(packed)
            result = cavs("data", f"trees:{self.path(name)}", "--json", check=None)
            self.assertEqual(result.returncode, 1)
            self.assertIn(commands[name], result.stderr)
        plain = self.write("BZh.txt", "BZh is a word\n")
        self.assertEqual(json.loads(cavs("data", f"text:{plain}", "--json").stdout)["train"]["samples"], 1)

    def test_vectors_with_a_word_twice_are_read(self):
        file, vectors = self.write("a.txt", "(1 (0 the) (0 cat))"), self.write("v.txt", "2 2\nthe 1 2\ncat 3 4\nthe 5 6\n")
        said = cavs("train", "tree-lstm", "--data", f"trees:{file}", "--hidden", "4", "--epochs", "1", "--vectors",
                    vectors).stderr
        self.assertIn("v.txt:4: the word 'the' is repeated, first at", said)
        self.assertIn("expected 2 words, found 3; all of them are read", said)


class Threads(TestCase):
    def test_the_default_is_the_number_available_to_the_process(self):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, allowed[:1])
        try:
            shown = cavs("train", "tree-lstm", "--data", "listops:train=4,test=0", *QUICK).stderr
        finally:
            os.sched_setaffinity(0, allowed)
        self.assertIn("1 threads", shown)


class Translations(TestCase):
    def test_an_error_in_one_sentence_does_not_stop_the_others(self):
        model = self.path("nmt.cavs")
        cavs("train", "lstm-nmt", "--data", "translations:train=4,test=0,vocabulary=9", *QUICK, "--save", model)
        lines = [b"w1 w2"] * 16
        lines[7] = b"w1 \xff"
        for extra in ([], ["--threads", "2"]):
            result = subprocess.run([COMMAND, "predict", model, *extra], input=b"\n".join(lines) + b"\n", capture_output=True)
            answers = [json.loads(line) for line in result.stdout.splitlines()]
            self.assertEqual(result.returncode, 1)
            self.assertEqual([i for i, answer in enumerate(answers) if "error" in answer], [7])
            self.assertEqual(len([answer for answer in answers if "translation" in answer]), 15)
            self.assertIn(b"stdin:8: expected UTF-8", result.stderr)


if __name__ == "__main__":
    unittest.main()
