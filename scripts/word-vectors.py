#!/usr/bin/env python3
"""Trains word vectors with fastText's skip-gram (gensim, from PyPI) and writes them as text, for `cavs train --vectors`.

    pip install gensim
    scripts/word-vectors.py -o vectors.vec --dim 150 wiki.train.tokens.gz train.txt train.conll

Files ending in .conll or .conllu have one token per line. Files of bracketed trees give their words; other files have
one sentence per line. Files may be packed with gzip. The same seed and files give the same vectors (one thread).
"""
import argparse
import gzip
import os
import re
import sys

WORD_IN_BRACKETS = re.compile(r"\(\S+ ([^\s()]+)\)")


def open_text(path):
    return gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8")


def columns(lines, column):
    sentence = []
    for line in lines:
        fields = line.split()
        if fields and not line.startswith(("#", "-DOCSTART-")):
            sentence.append(fields[column])
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def sentences(path):
    name = path.removesuffix(".gz")
    with open_text(path) as lines:
        if name.endswith(".conll"):
            yield from columns(lines, 0)
        elif name.endswith(".conllu"):
            yield from columns(lines, 1)
        else:
            for line in lines:
                words = WORD_IN_BRACKETS.findall(line) if line.startswith("(") else line.split()
                if words:
                    yield words


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-o", "--output", required=True, help="output file in word2vec's text format; must not exist")
    parser.add_argument("--dim", type=int, default=150, help="numbers per word (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=10, help="passes over the text (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if os.path.exists(arguments.output):
        sys.exit(f"{arguments.output} exists; name another file, or remove it")
    try:
        from gensim.models import FastText
    except ImportError:
        sys.exit("gensim is not installed; pip install gensim")
    text = [words for path in arguments.files for words in sentences(path)]
    model = FastText(text, vector_size=arguments.dim, sg=1, window=5, min_count=1, negative=10, bucket=200_000,
                     epochs=arguments.epochs, seed=arguments.seed, workers=1)
    model.wv.save_word2vec_format(arguments.output)
    print(f"{arguments.output}: {len(model.wv)} words of {sum(map(len, text))}, {arguments.dim} numbers each")


if __name__ == "__main__":
    main()
