"""Tests that predict reads the raw form of each kind of data, and answers in the same terms."""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
import unittest

from cavs_command import COMMAND, SIZES, TestCase, cavs, metadata, one_object

TAGS = ("Anna I-PER\nlives O\nin O\nRome I-LOC\n\nOslo I-LOC\nsees O\nBob I-PER\nSmith I-PER\n\n"
        "he O\nruns O\n\n") * 4
TREES = ("1\tthe\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
         "3\truns\t_\tVERB\t_\t_\t0\troot\t_\t_\n4\t.\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_\n\n") * 3
CHARACTERS = "李0\tB-PER.NAM\n明1\tI-PER.NAM\n在0\tO\n\n" * 3
PAIRS = {"a.toks": "a man runs\na dog sleeps\n", "b.toks": "a man walks\na cat sits\n", "a.parents": "2 3 0\n2 3 0\n",
         "b.parents": "2 3 0\n2 3 0\n", "sim.txt": "4.5\n1.5\n"}


class Predicting(TestCase):
    """Trains models once per class of tests."""

    MODELS = {}
    FILES = {}

    @classmethod
    def setUpClass(cls):
        shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(shared.cleanup)
        cls.shared = shared.name
        for name, text in cls.FILES.items():
            path = cls.at(name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        for name, (model, spec, *options) in cls.MODELS.items():
            cavs("train", model, "--data", spec.replace("@", cls.shared + "/"), *SIZES, *options, "--save",
                 cls.at(name + ".cavs"))

    @classmethod
    def at(cls, name):
        return os.path.join(cls.shared, name)

    def predict(self, name, stdin="", *options, check=0):
        return cavs("predict", self.at(name + ".cavs"), *options, stdin=stdin, check=check)

    def answers(self, name, stdin="", *options):
        return [json.loads(line) for line in self.predict(name, stdin, *options).stdout.splitlines()]


def accuracy(answers):
    """Returns the fraction of tokens whose tag is the expected one."""
    pairs = [pair for answer in answers for pair in zip(answer["tags"], answer["expected"])]
    return sum(found == expected for found, expected in pairs) / len(pairs)


class Agreement(Predicting):
    """Checks that raw samples are read like evaluation data: words, spelling, lexicon, labels and tag schemes."""

    FILES = {"tags.conll": TAGS, "trees.conllu": TREES, "weibo/lexicon.txt": "李明\n明在\n",
             **{f"weibo/weiboNER_2nd_conll.{part}": CHARACTERS for part in ("train", "dev")}}
    SPECS = {"crf": "conll:@tags.conll", "trees": "conllu:@trees.conllu", "lattice": "weibo:@weibo"}
    MODELS = {"crf": ("bilstm-crf", "conll:@tags.conll,tags=iobes", "--epochs", "3", "--lr", "0.03"),
              "trees": ("tree-lstm", "conllu:@trees.conllu", "--epochs", "6", "--lr", "0.03"),
              "lattice": ("lattice-gru", "weibo:@weibo", "--epochs", "4", "--lr", "0.03")}

    def test_prediction_agrees_with_evaluation(self):
        for name, spec in self.SPECS.items():
            with self.subTest(name):
                data = spec.replace("@", self.shared + "/")
                evaluated = one_object(cavs("eval", self.at(name + ".cavs"), "--data", data, "--json").stdout)
                self.assertAlmostEqual(accuracy(self.answers(name, "", "--data", data)), evaluated["accuracy"])


class Taggers(Predicting):
    FILES = {"tags.conll": TAGS}
    LEARN = ("--epochs", "40", "--lr", "0.03", "--batch-size", "4")
    MODELS = {"plain": ("bilstm", "conll:@tags.conll", *LEARN),
              "crf": ("bilstm-crf", "conll:@tags.conll,tags=iobes", *LEARN)}

    def test_sentences_get_tags_by_name(self):
        answer = one_object(self.predict("plain", "Anna lives in Rome\n").stdout)
        self.assertEqual(answer["tokens"], ["Anna", "lives", "in", "Rome"])
        self.assertEqual(answer["tags"], ["I-PER", "O", "O", "I-LOC"])
        self.assertEqual(len(answer["probabilities"]), 4)
        self.assertTrue(all(0.2 < p <= 1 for p in answer["probabilities"]))
        self.assertNotIn("expected", answer)

    def test_spans_are_entities(self):
        answer = one_object(self.predict("crf", "Oslo sees Bob Smith\n", "--spans").stdout)
        self.assertEqual(answer["entities"], [{"begin": 0, "end": 1, "class": "LOC", "text": "Oslo"},
                                              {"begin": 2, "end": 4, "class": "PER", "text": "Bob Smith"}])

    def test_the_crf_has_marginals_and_not_a_softmax_of_a_choice(self):
        for answer in self.answers("crf", "Anna lives in Rome\nOslo sees Bob Smith\nhe runs\n"):
            self.assertEqual(len(answer["probabilities"]), len(answer["tokens"]))
            self.assertGreater(min(answer["probabilities"]), 0.5)  # one-hot softmax: e / (e + 6) = 0.31

    def test_columns_are_recognised_and_converted_to_the_models_scheme(self):
        answers = self.answers("crf", TAGS)
        self.assertEqual(len(answers), 12)
        self.assertEqual(answers[1]["expected"], ["S-LOC", "O", "B-PER", "E-PER"])
        self.assertEqual(answers[1]["tags"], answers[1]["expected"])

    def test_evaluation_converts_tags_to_the_models_scheme(self):
        asked = one_object(cavs("eval", self.at("crf.cavs"), "--json").stdout)
        raw = one_object(cavs("eval", self.at("crf.cavs"), "--data", "conll:" + self.at("tags.conll"), "--json").stdout)
        self.assertEqual(raw["token_f1"], asked["token_f1"])
        self.assertEqual(raw["loss"], asked["loss"])
        refused = cavs("eval", self.at("plain.cavs"), "--data", f"conll:{self.at('tags.conll')},tags=iobes", check=1)
        self.assertIn("the model was trained on tags=iob1", refused.stderr)

    def test_a_file_as_data_gives_the_same_answers(self):
        spec = "conll:" + self.at("tags.conll")
        self.assertEqual(self.predict("crf", "", "--data", spec).stdout, self.predict("crf", TAGS).stdout)
        self.assertEqual(len(self.answers("crf", "", "--data", spec, "--limit", "5", "--batch-size", "2")), 5)

    def test_conll_as_a_format_shows_what_was_expected(self):
        printed = self.predict("crf", TAGS, "--format", "conll").stdout
        self.assertEqual(printed.split("\n\n")[1].splitlines(),
                         ["Oslo\tS-LOC\tS-LOC", "sees\tO\tO", "Bob\tB-PER\tB-PER", "Smith\tE-PER\tE-PER"])

    def test_tsv_has_a_line_per_sentence(self):
        self.assertEqual(self.predict("plain", "Anna lives in Rome\nhe runs\n", "--format", "tsv").stdout,
                         "Anna lives in Rome\tI-PER O O I-LOC\nhe runs\tO O\n")

    def test_a_reader_that_closes_the_pipe_ends_it_quietly(self):
        text = self.at("many")
        with open(text, "w", encoding="utf-8") as file:
            file.write("Anna lives in Rome\n" * 20000)
        for ignored in ("", "trap '' PIPE; "):  # some parents start their children like this
            ended = subprocess.run(["bash", "-c", f"{ignored}{shlex.quote(COMMAND)} predict "
                                    f"{shlex.quote(self.at('plain.cavs'))} <{shlex.quote(text)} | head -1"],
                                   capture_output=True, text=True, timeout=120)
            self.assertEqual(len(ended.stdout.splitlines()), 1)
            self.assertEqual(ended.stderr, "")


class DependencyTrees(Predicting):
    FILES = {"trees.conllu": TREES}
    MODELS = {"pos": ("tree-lstm", "conllu:@trees.conllu", "--epochs", "40", "--lr", "0.03"),
              "deprel": ("tree-lstm", "conllu:@trees.conllu,label=deprel", "--epochs", "1")}

    def test_conllu_gets_classes_by_name(self):
        answers = self.answers("pos", TREES)
        self.assertEqual(len(answers), 3)
        self.assertEqual(answers[0]["tokens"], ["the", "dog", "runs", "."])
        self.assertEqual(answers[0]["tags"], ["DET", "NOUN", "VERB", "PUNCT"])
        self.assertEqual(answers[0]["expected"], answers[0]["tags"])

    def test_brackets_have_words_at_inner_vertices(self):
        conllu = self.answers("pos", TREES)[0]
        for text in ("(((the) dog) runs (.))\n", "(((the)\n dog) runs\n (.))\n"):
            answer, = self.answers("pos", text)
            self.assertEqual(answer["tags"], conllu["tags"])
            self.assertEqual(answer["probabilities"], conllu["probabilities"])
        head_first, = self.answers("pos", "(runs (dog (the)) (.))\n")
        self.assertEqual(head_first["tokens"], ["runs", "dog", "the", "."])
        self.assertEqual(head_first["tags"], ["VERB", "NOUN", "DET", "PUNCT"])

    def test_the_head_words_matter(self):
        first, second = self.answers("pos", "(runs (dog))\n(zebra (dog))\n")
        self.assertNotEqual(first["probabilities"][0], second["probabilities"][0])

    def test_the_label_column_is_that_of_the_training(self):
        self.assertEqual(self.answers("deprel", TREES)[0]["expected"], ["det", "nsubj", "root", "punct"])

    def test_they_are_drawn_with_their_words(self):
        drawn = self.predict("pos", "(runs (dog (the)) (.))\n", "--format", "tree").stdout
        self.assertEqual(drawn, "runs → VERB\n├─ dog → NOUN\n│  └─ the → DET\n└─ . → PUNCT\n\n")


class Pairs(Predicting):
    FILES = {f"sick/{part}/{name}": text for part in ("train", "dev") for name, text in PAIRS.items()}
    MODELS = {"sick": ("tree-lstm-relatedness", "sick:@sick", "--epochs", "3")}

    def test_brackets_and_heads_get_the_same_score(self):
        brackets, heads = self.answers("sick", "(((a) man) runs)\t(((a) man) walks)\n"
                                               "a man runs\t2 3 0\ta man walks\t2 3 0\n")
        self.assertEqual(brackets, heads)
        self.assertTrue(1 <= brackets["score"] <= 5)
        self.assertAlmostEqual(sum(p * (i + 1) for i, p in enumerate(brackets["probabilities"])), brackets["score"],
                               places=4)

    def test_expected_scores_come_from_the_data(self):
        answers = self.answers("sick", "", "--data", "sick:" + self.at("sick"))
        self.assertEqual([answer["expected"] for answer in answers], [4.5, 1.5])
        lines = "\n".join("\t".join(row) for row in zip(*(PAIRS[name].splitlines() for name in (
            "a.toks", "a.parents", "b.toks", "b.parents", "sim.txt")))) + "\n"
        self.assertEqual(self.answers("sick", lines), answers)

    def test_a_drawing_shows_the_score_and_no_class(self):
        answer, = self.answers("sick", "(a)\t(man)\t4.5\n")
        self.assertEqual(self.predict("sick", "(a)\t(man)\t4.5\n", "--format", "tree").stdout.splitlines()[0],
                         f"{answer['score']:.2f} (expected: 4.50)")


class Lattices(Predicting):
    FILES = {"none.txt": "没\n", "weibo/lexicon.txt": "李明\n在李\n",
             **{f"weibo/weiboNER_2nd_conll.{part}": CHARACTERS for part in ("train", "dev")}}
    MODELS = {"weibo": ("lattice-lstm", "weibo:@weibo", "--epochs", "30", "--lr", "0.03")}

    def test_characters_get_tags_and_entities(self):
        answer = one_object(self.predict("weibo", "李明在\n", "--spans").stdout)
        self.assertEqual(answer["tokens"], ["李", "明", "在"])
        self.assertEqual(answer["tags"], ["B-PER.NAM", "I-PER.NAM", "O"])
        self.assertEqual(answer["entities"], [{"begin": 0, "end": 2, "class": "PER.NAM", "text": "李明"}])

    def test_columns_and_data_give_the_same_lattices(self):
        data = self.answers("weibo", "", "--data", "weibo:" + self.at("weibo"))
        self.assertEqual(self.answers("weibo", CHARACTERS), data)
        self.assertEqual(data[0]["probabilities"], self.answers("weibo", "李 明在\n")[0]["probabilities"])

    def test_an_explicit_lexicon_overrides_those_of_the_checkpoint_and_the_data(self):
        other = self.write("other.txt", "明在\n")
        named = self.answers("weibo", "李明在\n", "--lexicon", other)
        self.assertNotEqual(named, self.answers("weibo", "李明在\n"))
        data = "weibo:" + self.at("weibo")
        first, = self.answers("weibo", "", "--data", data, "--lexicon", other, "--limit", "1")
        self.assertEqual(first["probabilities"], named[0]["probabilities"])

    def test_the_checkpoint_is_sufficient(self):
        folder = self.path("weibo")
        shutil.copytree(self.at("weibo"), folder)
        cavs("train", "lattice-gru", "--data", "weibo:" + folder, *SIZES, "--epochs", "2", "--save",
             self.path("a.cavs"))
        predict = ["predict", self.path("a.cavs")]
        before = cavs(*predict, stdin="李明在\n").stdout
        none = cavs(*predict, "--lexicon", self.at("none.txt"), stdin="李明在\n").stdout
        self.assertNotEqual(before, none)
        shutil.rmtree(folder)
        self.assertEqual(cavs(*predict, stdin="李明在\n").stdout, before)

    def test_a_lexicon_that_is_too_large_to_store_is_reported_and_found_again(self):
        folder = self.path("weibo")
        shutil.copytree(self.at("weibo"), folder)
        with open(os.path.join(folder, "lexicon.txt"), "a", encoding="utf-8") as file:
            file.write("长" * 6_000_000 + "\n")
        trained = cavs("train", "lattice-gru", "--data", "weibo:" + folder, *SIZES, "--epochs", "1", "--save",
                       self.path("a.cavs"))
        self.assertRegex(trained.stderr, "the lexicon is larger than the 16 MiB that a checkpoint saves")
        self.assertNotIn("lexicon", json.loads(metadata(self.path("a.cavs"))["extra"]))
        predict = ["predict", self.path("a.cavs")]
        found = cavs(*predict, stdin="李明在\n").stdout
        self.assertNotEqual(found, cavs(*predict, "--lexicon", self.at("none.txt"), stdin="李明在\n").stdout)

    def test_data_without_words_have_no_lexicon(self):
        cavs("train", "lattice-gru", "--data", f"weibo:{self.at('weibo')},words=0", *SIZES, "--epochs", "1", "--save",
             self.path("a.cavs"))
        self.assertEqual(json.loads(metadata(self.path("a.cavs"))["extra"])["lexicon"], "")
        cavs("predict", self.path("a.cavs"), stdin="李明在\n")


class Tables(Predicting):
    """A model of texts reads one text per line, and a model of pairs reads two texts with a tab between them."""

    TEXTS = "text,other,stars,near\n" + "it is good,it works,good,4.5\nit is bad,it fails,bad,1.5\n" * 4
    FILES = {"t.csv": TEXTS}
    MODELS = {"texts": ("tree-lstm", "table:@t.csv,text=text,label=stars", "--epochs", "12", "--lr", "0.05"),
              "pairs": ("tree-lstm", "table:@t.csv,text=text,pair=other,label=stars"),
              "scores": ("tree-lstm-relatedness", "table:@t.csv,text=text,pair=other,score=near")}

    def test_a_text_gets_a_class_by_name(self):
        good, bad = self.answers("texts", "it is good\nit is bad\n")
        self.assertEqual((good["class"], bad["class"]), ("good", "bad"))

    def test_a_line_gives_the_graph_of_a_row(self):
        pair = "it is bad\tit fails"
        for name, line in {"texts": "it is bad", "pairs": pair, "scores": pair}.items():
            with self.subTest(name):
                spec = self.MODELS[name][1].replace("@", self.shared + "/")
                row = self.answers(name, "", "--data", spec, "--limit", "2", "--part", "train")[1]
                given = self.answers(name, line + "\n")[0]
                self.assertEqual({key: row[key] for key in given}, given)

    def test_a_wrong_number_of_texts_is_refused_with_an_example(self):
        for line in ["it is bad", "a\tb\tc", "a\t"]:
            error = self.predict("pairs", line + "\n", check=1).stderr
            self.assertRegex(error, r"stdin:1: .*expected .*(Is it far|It works)")


class Prompts(Predicting):
    FILES = {"text": "the dog runs\nthe cat sleeps\n"}
    MODELS = {"lm": ("var-lstm", "text:@text", "--epochs", "1"),
              "nmt": ("lstm-nmt", "translations:train=8,test=4,vocabulary=12", "--epochs", "1")}

    def test_may_come_from_a_file(self):
        spec = "text:" + self.at("text")
        self.assertEqual(self.predict("lm", "", "--data", spec).stdout,
                         self.predict("lm", "the dog runs\nthe cat sleeps\n").stdout)
        self.assertEqual(len(self.answers("lm", "", "--data", spec, "--limit", "1")), 1)

    def test_tsv_has_a_line_per_text(self):
        answer, = self.answers("lm", "the dog\n", "--words", "3")
        self.assertEqual(self.predict("lm", "the dog\n", "--words", "3", "--format", "tsv").stdout,
                         f"the dog\t{answer['continuation']}\n")
        self.assertEqual(self.predict("nmt", "w7 w8\n", "--format", "tsv").stdout.split("\t")[0], "w7 w8")


if __name__ == "__main__":
    unittest.main()
