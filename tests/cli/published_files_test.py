"""Files in the formats of published data sets, rebuilt from their descriptions. Each trains, or is refused as expected.

Each case has the name of a data set with this format. All texts are our own.
"""

import unittest

from cavs_command import SIZES, TestCase, cavs

TAGGER, TREES, PAIRS, LATTICE = "bilstm-tagger", "tree-lstm", "tree-lstm-relatedness", "lattice-gru"

# Data set: (model, spec with {} for the file, contents of the file, pattern of a message or None for no message).
FILES = {
    "CoNLL-2000": (TAGGER, "conll:{}", "Confidence NN B-NP\nis VBZ B-VP\nlow JJ B-ADJP\n\n", None),
    "CoNLL-2003 English": (TAGGER, "conll:{}", "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nwaits VBZ B-VP O\n\n",
                           ".*column 3 looks like tags, too: tag=3"),
    "CoNLL-2003 German": (TAGGER, "conll:{},tag=5", "Bonn Bonn NE I-NC I-LOC\nliegt liegen VVFIN I-VC O\n\n", None),
    "CoNLL-2012": (TAGGER, "conll:{}", "#begin document (bc/x); part 000\nbc/x 0 0 We PRP (TOP* * O\nbc/x 0 1 wait VBP *) * O\n\n",
                   "error: .*column 1 is the same in all lines of a sentence.*token=2"),
    "WNUT 2017": (TAGGER, "conll:{}", "Paris\tB-location\nis\tO\n\t\nok\tO\n", None),
    "MultiCoNER": (TAGGER, "conll:{}", "# id 1a-2b\tdomain=en\nthe _ _ O\nlouvre _ _ B-Facility\n\n# id 3\tdomain=en\nit _ _ O\n",
                   None),
    "Few-NERD": (TAGGER, "conll:{},tags=io", "Paris\tlocation-GPE\nand\tO\n\n", None),
    "Few-NERD without io": (TAGGER, "conll:{}", "Paris\tlocation-GPE\nand\tO\n\n", "error: .*tags=io reads classes"),
    "WikiNEuRal": (TAGGER, "conll:{}", "0\tIn\tO\n1\tRom\tB-LOC\n\n0\tso\tO\n", ".*column 1 counts the tokens"),
    "MSRA": (LATTICE, "lattice:{},words=0", "北\tB-LOC\n京\tI-LOC\n好\tO\n\n", None),
    "UD with contractions": (TREES, "conllu:{}", "# sent_id = 1\n1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n1\tzu\t_\tADP\t_\t_\t2\tcase\t_\t_\n"
                             "2\tHaus\t_\tNOUN\t_\t_\t0\troot\t_\t_\n2.1\tx\t_\tX\t_\t_\t_\t_\t_\t_\n\n", None),
    "Penn Treebank": (TREES, "trees:{}", "( (S (NP-SBJ (DT The) (NN dog))\n     (VP (VBZ runs)) (. .)))\n", None),
    "AG News": (TREES, "table:{},header=no,text=3,label=1,separator=comma", '"3","Oil, again","Prices ""rose"" by 3 %"\n"1","x","y"\n',
                "2 of 4 classes have no label"),
    "CoLA": (TREES, "table:{},header=no,text=4,label=2,separator=tab", 'gj04\t1\t\tOur "friends won\'t.\ngj04\t0\t*\tOur friends.\n', None),
    "MRPC": (TREES, "table:{},text=#1 String,pair=#2 String,label=Quality,separator=tab",
             "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n1\t7\t8\tHe said so\tSo he said\r\n0\t1\t2\tYes\tNo\r\n", None),
    "STS-B": (PAIRS, "table:{},text=sentence1,pair=sentence2,score=score,separator=tab,range=0:5",
              "index\tsentence1\tsentence2\tscore\n0\tA plane\tA \"plane\t5.000\n1\tA man\tA dog\t0.000\n", None),
    "SICK": (PAIRS, "table:{},text=sentence_A,pair=sentence_B,score=relatedness_score,separator=tab",
             "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n1\tA kid\tA boy\t4.5\tNEUTRAL\n", None),
    "ListOps of Nangia and Bowman": (TREES, "listops:{}", "6\t( ( ( [MED 4 ) 8 ) ] )\n4\t( ( [SM 4 ) ] )\n",
                                     "8 of 10 classes have no label"),
    "ListOps of Long Range Arena": (TREES, "listops:{}", "Source\tTarget\n( ( ( [MED 4 ) 8 ) ] )\t6\n",
                                    "9 of 10 classes have no label"),
    "Kaggle's annotated corpus": (TAGGER, "conll:{}", "Sentence: 1\tThey\tPRP\tO\n\tmarch\tVBP\tO\n", "error: .*column 1 is empty"),
    "a slash between word and tag": (TAGGER, "conll:{}", "The/DT dog/NN\n", "error: .*tags=none any text"),
}


class Published(TestCase):
    def test_files_are_trained_on_or_refused(self):
        for name, (model, spec, text, says) in FILES.items():
            with self.subTest(name):
                file = self.write("file.txt", text)
                refused = says is not None and says.startswith("error")
                result = cavs("train", model, "--data", spec.format(file), *SIZES, "--epochs", "1", check=1 if refused else 0)
                if says is None:
                    for warning in ("looks like tags", "counts the tokens", "have no label", "of one class"):
                        self.assertNotIn(warning, result.stderr)
                else:
                    self.assertRegex(result.stderr, says)


if __name__ == "__main__":
    unittest.main()
