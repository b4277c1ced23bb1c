"""Tests encoder-decoders: translation of lines and of pairs, beams, alternatives, BLEU."""

import json
import unittest

from cavs_command import SIZES, TestCase, cavs, one_object


class Translation(TestCase):
    DATA = "translations:train=400,test=20,length=4,vocabulary=20"
    LINES = "w12 w13\n\nw14 w11 unheard-of w16\r\nw12 w13\n"

    def setUp(self):
        super().setUp()
        self.checkpoint = self.path("a.cavs")
        cavs("train", "lstm-nmt", "--data", self.DATA, *SIZES, "--hidden", "32", "--lr", "0.02", "--epochs", "6",
             "--save", self.checkpoint)

    def predict(self, lines, *options):
        return [json.loads(line) for line in cavs("predict", self.checkpoint, *options, stdin=lines).stdout.splitlines()]

    def test_translates_line_by_line(self):
        answers = self.predict(self.LINES)
        self.assertEqual([answer["source"] for answer in answers], self.LINES.replace("\r", "").split("\n")[:-1])
        for answer in answers:
            self.assertEqual(answer["translation"], " ".join(answer["words"]))
            self.assertNotIn("alternatives", answer)
            self.assertLessEqual(len(answer["words"]), 2 * len(answer["source"].split()) + 10)
        self.assertEqual(answers[1]["words"], [])
        self.assertEqual(answers[0], answers[3])
        for answer in answers[0], answers[2]:
            self.assertAlmostEqual(answer["score"],
                                   answer["log_probability"] / ((6 + len(answer["words"])) / 6) ** 0.6)

    def test_alternatives_are_ordered_by_score(self):
        for answer in self.predict("w12 w13\nw15\n", "--beam", "6", "--n-best", "4"):
            all_of_them = [answer, *answer["alternatives"]]
            scores = [each["score"] for each in all_of_them]
            self.assertEqual(len(scores), 4)
            self.assertEqual(scores, sorted(scores, reverse=True))
            self.assertEqual(len({each["translation"] for each in all_of_them}), 4)
        self.assertEqual(self.predict("w12\n", "--n-best", "2"), self.predict("w12\n", "--n-best", "2", "--beam", "2"))

    def test_limits_length(self):
        answer, = self.predict("w12 w13 w14 w15 w16\n", "--max-length", "2")
        self.assertEqual(len(answer["words"]), 2)
        short, = self.predict("w12 w13 w14\n", "--beam", "8", "--length-penalty", "0")
        long, = self.predict("w12 w13 w14\n", "--beam", "8", "--length-penalty", "3")
        self.assertLessEqual(len(short["words"]), len(long["words"]))
        self.assertEqual(short["score"], short["log_probability"])

    def test_translates_pairs_and_shows_the_reference(self):
        answers = self.predict("", "--data", self.DATA, "--limit", "5")
        self.assertEqual(len(answers), 5)
        lines = "".join(answer["source"] + "\n" for answer in answers)
        for answer, alone in zip(answers, self.predict(lines), strict=True):
            self.assertRegex(answer.pop("reference"), r"^w\d+( w\d+)*$")
            self.assertEqual(answer, alone)
        self.assertEqual(len(self.predict("", "--data", self.DATA, "--part", "train", "--limit", "3")), 3)

    def test_evaluation_reports_bleu(self):
        plain = one_object(cavs("eval", self.checkpoint, "--json").stdout)
        self.assertNotIn("bleu", plain)
        report = one_object(cavs("eval", self.checkpoint, "--json", "--beam", "5").stdout)
        self.assertEqual(report["perplexity"], plain["perplexity"])
        self.assertEqual(report["beam"], 5)
        self.assertGreater(report["bleu"], 10)
        other = one_object(cavs("eval", self.checkpoint, "--json", "--beam", "5", "--batch-size", "1").stdout)
        self.assertEqual(other["bleu"], report["bleu"])
        self.assertRegex(cavs("eval", self.checkpoint, "--beam", "1", "--limit", "7").stdout,
                         r"(?m)^BLEU +\d+\.\d\d  of 7 sentences, beam 1$")

    def test_reads_parallel_text(self):
        source, target = self.write("a.en", "a b\n\nc\n"), self.write("a.de", "A B .\n\nC\n")
        spec = f"parallel:{source}+{target}"
        cavs("train", "lstm-nmt", "--data", spec, *SIZES, "--epochs", "60", "--lr", "0.05", "--save", self.checkpoint,
             "--overwrite")
        answers = self.predict("", "--data", spec, "--beam", "2")
        self.assertEqual([answer["translation"] for answer in answers], ["A B .", "C"])
        self.assertEqual([answer["reference"] for answer in answers], ["A B .", "C"])


if __name__ == "__main__":
    unittest.main()
