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
  const auto add = [&](const char* what, const Trained& model, const std::string& text,
                       const std::string& options = "") {
    const std::string command = fmt::format("predict {}{}", model.checkpoint, options);
    section.cases.push_back({what, text.empty() || !options.empty() ? "cavs " + command : text, 1, [=, &place] {
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
  add("a sentence of which some tokens have no tag", ner, "John B-PER\nsleeps");
  add("columns with a tag that is none", ner, "John B-PER\nsleeps VERB");
  add("dependency trees for a tagger", ner, "", " --input conllu");
  add("data of another scheme", ner, "", " --data conll:ner.txt,tags=iobes");
  add("data of other classes", ner, "", " --data listops:train=2,test=0");
  add("data of other graphs", ops, "", " --data expressions:train=2,test=0");
  add("a lexicon for a model of sentences", ner, "", " --lexicon ner.txt");
  add("a tree with labels for words at inner vertices", pos, "(NP (D the) (N dog))");
  add("a bracket without a word", pos, "((the) (dog))");
  add("plain text for a model of dependency trees", pos, "the dog runs");
  add("spans of classes that are no tags", pos, "", " --spans");
  add("a sentence of two roots", pos, "1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n2\tb\t_\t_\t_\t_\t0\t_\t_\t_");
  add("one sentence for a model of pairs", pairs, "a dog runs");
  add("two sentences without heads", pairs, "a dog runs\ta cat sits");
  add("a pair whose second tree is not closed", pairs, "(runs (dog))\t(sits (cat)");
  add("a score out of range", pairs, "(a)\t(b)\t7");
  add("a pair as columns", pairs, "(a)\t(b)", " --format conll");
  add("text at a port that had numbers in training", ports,
      R"({"children":[[]],"pull":{"word":["a"],"kind":["big"]}})");
  add("three children for a model of two", binary, "((a) (b))\n((a) (b) (c))");
  add("an expression for a model of five classes", binary, "[MAX 1 2]");
  add("characters without a lexicon", lattice, "李明在北京");
  add("a lexicon that is not there", lattice, "", " --lexicon missing.txt");
  return section;
}

}  // namespace cavs::testing
