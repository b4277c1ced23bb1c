// Mistakes in data sets and in samples for prediction, run by bad_input_test.cc. tests/data tests the message of each
// reader. These cases test that the command prints the message, and what it adds.
#include "bad_input.h"

namespace cavs::testing {

Section bad_data(const Workplace& place) {
  Section section{"Data sets", {}};
  const auto add = [&](const char* what, const char* says, const std::string& arguments, int code = 1) {
    section.cases.push_back({what, says, "cavs " + arguments, code,
                             [=, &place] { return place.run(arguments + " --hidden 4 --epochs 1"); }});
  };
  const auto file = [&](const char* what, const char* says, const std::string& spec, const std::string& bytes,
                        const std::string& options = "") {
    section.cases.push_back({what, says, bytes, 1, [=, &place] {
                               place.write("a", bytes);
                               return place.run("train tree-lstm --hidden 4 --epochs 1 --data " + spec + options);
                             }});
  };
  section.cases.push_back(
      {"no data to look at", "SPEC is required", "cavs data", 2, [&place] { return place.run("data"); }});
  add("unknown kind", "data 'listop': unknown kind 'listop'; did you mean 'listops'? known: <...>",
      "train tree-lstm --data listop");
  add("no file",
      "missing.txt: cannot open the file: No such file or directory; expected a text file or a gzip of one; check its "
      "name and directory",
      "train tree-lstm --data trees:missing.txt");
  add("too many children for the model",
      "vertex 0 of sample 0 has 5 children, but vertex function 'inner' gathers 2; use children() for any number "
      "of them",
      "train tree-lstm-binary --data listops:train=9");
  file("unclosed bracket", "a:2: the tree that begins here is not closed; expected ')', found the end of the text",
       "trees:a", "(1 (0 a) (1 b))\n(1 (0 a) (1 b)\n");
  file("no labels at all", "data 'trees:a' have no labels to learn; expected at least one vertex with a label",
       "trees:a", "((a) (b))\n");
  file("scores of single texts",
       "data 'table:a,text=a,score=score' have no labels to learn, only scores, which 'cavs train' learns for pairs "
       "(pair=COLUMN); expected at least one vertex with a label",
       "table:a,text=a,score=score", "a,score\nx,3");
  file("cycle",
       "a:1: vertex 0 is its own ancestor (0 -> 1 -> 0), because there are edges in both directions; input graphs must "
       "be acyclic",
       "jsonl:a", R"({"children":[[1],[0]],"label":[0,1]})");
  file("port that the model needs is missing",
       "[pull_index] vertex function 'tree_lstm' pulls 'word', but the graphs have no such integers; known: label",
       "jsonl:a", R"({"children":[[],[0]],"label":[0,1]})");
  file("stream into buckets", "buckets is 10 with a stream; expected 0: buckets need data in memory", "text:a",
       "a b c\n", " --stream 100 --bucket 10");
  file("a policy that is learned of a stream",
       "--policy fsm learns from data in memory; with --stream, run 'cavs learn-policy' first and give --policy "
       "fsm:FILE",
       "text:a", "a b c\n", " --stream 100 --policy fsm");
  return section;
}

namespace {

/// A model that is trained only once.
struct Trained {
  const char* checkpoint;
  const char* arguments;
};

}  // namespace

Section bad_samples(const Workplace& place) {
  Section section{"Samples for prediction", {}};
  const auto add = [&](const char* what, const char* says, const Trained& model, const std::string& text,
                       const std::string& options = "") {
    const std::string command = std::string("predict ") + model.checkpoint + options;
    section.cases.push_back({what, says, options.empty() ? text : "cavs " + command, 1, [=, &place] {
                               if (place.read(model.checkpoint).empty()) {
                                 place.write("ner.txt", "John B-PER\nsleeps O\n");
                                 place.run(std::string("train ") + model.arguments +
                                           " --hidden 4 --embedding 4 --epochs 1 --save " + model.checkpoint);
                               }
                               return place.run(command, text.empty() ? "" : text + "\n");
                             }});
  };
  const Trained ops{"ops.cavs", "tree-lstm --data listops:train=4,test=0,length=9"};
  const Trained binary{"binary.cavs", "tree-gru --data random-trees:train=4,test=0,vocabulary=9"};
  const Trained ner{"ner.cavs", "bilstm --data conll:ner.txt"};
  const Trained pairs{"pairs.cavs", "tree-lstm-relatedness --data tree-pairs:train=4,test=0,vocabulary=9"};
  const Trained prompt{"lm.cavs", "var-lstm --data markov:train=4,test=0,vocabulary=9"};
  const Trained sentence{"nmt.cavs", "lstm-nmt --data translations:train=4,test=0,vocabulary=9"};
  add("neither tree, expression nor JSON",
      "stdin:1: expected a tree in brackets, or a ListOps expression, or CoNLL-U, or a JSON line; for example '((It) "
      "((works) (.)))', found 'MAX 1 2'",
      ops, "MAX 1 2");
  add("word that the table does not have",
      "stdin:1: [lookup] 'word' of vertex 0 of sample 0 is 99, expected -1 (absent) to 14, in vertex function "
      "'tree_lstm'; expected a tree in brackets, or a ListOps expression, or CoNLL-U, or a JSON line; for example "
      "'((It) ((works) (.)))'",
      ops, R"({"types":["leaf"],"children":[[]],"pull":{"word":[99]}})");
  add("data of other graphs",
      "data 'expressions:train=2,test=0': the graphs have other types of vertices or ports than the training data of "
      "the model; expected data of the same kind, listops",
      ops, "", " --data expressions:train=2,test=0");
  add("prompt for a model that was not trained on text",
      "--words, --temperature and --seed are for models that were trained on text; ops.cavs was not", ops, "to be or",
      " --words 5");
  add("three children for a model of two",
      "stdin:3: vertex 0 of sample 0 has 3 children, but vertex function 'inner' gathers 2; use children() for any "
      "number of them; expected a tree in brackets, or CoNLL-U, or a JSON line; for example '((It) ((works) (.)))'",
      binary, "((a) (b))\n\n((a) (b) (c))");
  add("an expression for a model of five classes",
      "stdin:1: expected a tree in brackets, or CoNLL-U, or a JSON line; for example '((It) ((works) (.)))', found "
      "'[MAX 1 2]'",
      binary, "[MAX 1 2]");
  add("a lexicon for a model of sentences",
      "--lexicon gives the words of lattices; ner.cavs was not trained on lattices", ner, "", " --lexicon ner.txt");
  add("spans of classes that are no tags",
      "--spans needs tags such as B-PER and I-PER; binary.cavs was not trained on such tags", binary, "", " --spans");
  add("a pair as columns",
      "--format conll prints a line for each token, but this sample has no tokens; expected sentences or dependency "
      "trees, or --format jsonl",
      pairs, "(a)\t(b)", " --format conll");
  add("drawing a continuation",
      "--format tree is for models that predict classes; lm.cavs was trained on text and continues prompts; expected "
      "jsonl or tsv",
      prompt, "w2", " --tree");
  add("prompt that is not UTF-8",
      "stdin:2: expected UTF-8, found the byte 0xE9; convert the file (iconv -f ENCODING -t UTF-8)", prompt,
      "w2\ncaf\xE9", " --words 2");
  add("a beam for a model that does not translate",
      "--beam, --n-best, --length-penalty and --max-length are for models that translate; lm.cavs was not trained "
      "on pairs of sentences",
      prompt, "w2", " --beam 5");
  add("more translations than the beam holds", "--n-best 3 with --beam 2; expected --n-best of at most --beam",
      sentence, "w7", " --beam 2 --n-best 3");
  add("drawing a translation",
      "--format tree is for models that predict classes; nmt.cavs was trained on text and translates; expected jsonl "
      "or tsv",
      sentence, "w7", " --tree");
  add("pairs that are none",
      "vertex function 'encoder' runs over vertices of type 'encoder', but the data have none: use other data, or "
      "another model; known: inner, leaf",
      sentence, "", " --data binary-trees:leaves=2");
  add("tags of a translation",
      "--input, --spans and --lexicon are for models that predict classes; nmt.cavs was trained on text and translates",
      sentence, "w7", " --spans");
  return section;
}

}  // namespace cavs::testing
