// Mistakes in samples for prediction that are written as text (bad_input_test.cc runs them).

#include <fmt/format.h>

#include "bad_input.h"

namespace cavs::testing {
namespace {

/// A model that is trained once, on these files.
struct Trained {
  const char* checkpoint;
  std::vector<std::pair<std::string, std::string>> files;
  const char* arguments;
};

}  // namespace

Section bad_raw_samples(const Workplace& place) {
  Section section{"Samples as text", {}};
  const auto add = [&](const char* what, const char* says, const Trained& model, const std::string& text,
                       const std::string& options = "") {
    const std::string command = fmt::format("predict {}{}", model.checkpoint, options);
    section.cases.push_back({what, says, text.empty() || !options.empty() ? "cavs " + command : text, 1, [=, &place] {
                               for (const auto& [name, bytes] : model.files) place.write(name, bytes);
                               if (place.read(model.checkpoint).empty())
                                 place.run(fmt::format("train {} --hidden 4 --embedding 4 --epochs 1 --save {}",
                                                       model.arguments, model.checkpoint));
                               return place.run(command, text.empty() ? "" : text + "\n");
                             }});
  };
  const Trained ner{"ner.cavs", {{"ner.txt", "John B-PER\nsleeps O\n"}}, "bilstm --data conll:ner.txt"};
  const Trained pos{
      "pos.cavs", {{"pos.txt", "1\tgo\t_\tVERB\t_\t_\t0\troot\t_\t_\n"}}, "tree-lstm --data conllu:pos.txt"};
  const Trained pairs{"pairs.cavs", {}, "tree-lstm-relatedness --data tree-pairs:train=4,test=0,vocabulary=9"};
  const Trained ops{"ops.cavs", {}, "tree-lstm --data listops:train=4,test=0,length=9"};
  const Trained ports{"ports.cavs",
                      {{"ports.jsonl", R"({"children":[[]],"pull":{"word":["a"],"kind":[2]},"label":["x"]})"}},
                      "dag-rnn --data jsonl:ports.jsonl"};
  const Trained binary{"binary.cavs", {}, "tree-gru --data random-trees:train=4,test=0,vocabulary=9"};
  const Trained lattice{"lattice.cavs", {}, "lattice-gru --data lattices:train=4,test=0,vocabulary=40"};
  add("a sentence of which some tokens have no tag",
      "stdin:1: 1 of the 2 tokens of this sentence have a tag; expected all or none", ner, "John B-PER\nsleeps");
  add("columns with a tag that is none",
      "stdin:2: expected a tag O, B-X, I-X, E-X or S-X in the last column, found 'VERB'", ner,
      "John B-PER\nsleeps VERB");
  add("dependency trees for a tagger",
      "the model cannot take conllu (CoNLL-U); expected a sentence a line, or a token and its tag a line, or a JSON "
      "line; for example 'Anna lives in Rome'",
      ner, "", " --input conllu");
  add("data of another scheme",
      "data 'conll': tags=iobes, but the model was trained on tags=iob2; leave 'tags' out, and tags are converted to "
      "those of the model",
      ner, "", " --data conll:ner.txt,tags=iobes");
  add("data of other classes", "data 'listops': labels are 0 to 9, but the model has 2 classes; expected at least 10",
      ner, "", " --data listops:train=2,test=0");
  add("data of other graphs",
      "data 'expressions:train=2,test=0': their graphs have other types of vertices or ports than those that the model "
      "was trained on; expected data of the same kind, listops",
      ops, "", " --data expressions:train=2,test=0");
  add("a lexicon for a model of sentences",
      "--lexicon gives the words of lattices; ner.cavs was not trained on lattices", ner, "", " --lexicon ner.txt");
  add("a tree with labels for words at inner vertices",
      "stdin:1: found the words 'D' and 'the' in one bracket; expected one word and the brackets of its dependents, as "
      "in '(runs (dog (the)) (.))'",
      pos, "(NP (D the) (N dog))");
  add("a bracket without a word",
      "stdin:1: a bracket without a word; expected one word and the brackets of its dependents, as in '(runs (dog "
      "(the)) (.))'",
      pos, "((the) (dog))");
  add("plain text for a model of dependency trees",
      "stdin:1: expected a dependency tree in brackets, or CoNLL-U, or a JSON line; for example '(runs (dog (the)) "
      "(.))', found 'the dog runs'",
      pos, "the dog runs");
  add("spans of classes that are no tags",
      "--spans shows what tags such as B-PER and I-PER say of tokens; pos.cavs was not trained on such tags", pos, "",
      " --spans");
  add("a sentence of two roots", "stdin:1: words 1 and 2 are both roots (head 0); expected one root", pos,
      "1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n2\tb\t_\t_\t_\t_\t0\t_\t_\t_");
  add("one sentence for a model of pairs",
      "stdin:1: expected two dependency trees with a tab between them, or a JSON line; for example '(runs (dog "
      "(a)))	(walks (dog (the)))', found 'a dog runs'",
      pairs, "a dog runs");
  add("two sentences without heads",
      "stdin:1: 2 columns between tabs; expected two trees, as in '(runs (dog (a)))	(walks (dog (the)))', or two "
      "sentences, each with the heads of its words, as in 'a dog runs	2 3 0	...', and perhaps a score; sentences "
      "without heads are not parsed",
      pairs, "a dog runs\ta cat sits");
  add("a pair whose second tree is not closed",
      "stdin:1: the tree that begins here is not closed; expected ')', found the end of the text", pairs,
      "(runs (dog))\t(sits (cat)");
  add("a score out of range", "stdin:1: expected a number 1 to 5, found '7'", pairs, "(a)\t(b)\t7");
  add("a pair as columns",
      "--format conll has a line for each token, and this sample has none; expected sentences or dependency trees, or "
      "--format jsonl",
      pairs, "(a)\t(b)", " --format conll");
  add("text at a port that had numbers in training",
      "stdin:1: port 'kind' has the name 'big', but only numbers are known there; expected numbers from 0", ports,
      R"({"children":[[]],"pull":{"word":["a"],"kind":["big"]}})");
  add("three children for a model of two",
      "stdin:2: vertex 0 of sample 0 has 3 children, vertex function 'inner' gathers 2; use children() for any number "
      "of them; expected a tree in brackets, or CoNLL-U, or a JSON line; for example '((It) ((works) (.)))'",
      binary, "((a) (b))\n((a) (b) (c))");
  add("an expression for a model of five classes",
      "stdin:1: expected a tree in brackets, or CoNLL-U, or a JSON line; for example '((It) ((works) (.)))', found "
      "'[MAX 1 2]'",
      binary, "[MAX 1 2]");
  add("characters without a lexicon",
      "stdin:1: the model reads lattices of characters and words, and the lexicon of these words is not known; "
      "expected a JSON line, or a sentence a line where the lexicon is given; for example "
      "'{\"types\":[\"position\",\"character\",\"position\"],\"children\":[[],[0],[1]],\"pull\":{\"word\":[-1,0,-1]}}'",
      lattice, "李明在北京");
  add("a lexicon that is not there",
      "missing.txt: cannot open the file: No such file or directory; expected a text file or a gzip of one; check its "
      "name and directory",
      lattice, "", " --lexicon missing.txt");
  return section;
}

}  // namespace cavs::testing
