#include "zoo/data_files.h"

#include <fmt/format.h>

#include <map>

#include "cavs/models.h"
#include "zoo/kept_saves.h"

namespace cavs::zoo {
namespace {

struct Specs {
  std::string generated, files;
  std::string raw, raw_of_files;
};

const std::map<std::string, Specs>& specs() {
  static const std::string kTrees = "trees:train=trees.txt,dev=more-trees.txt";
  static const std::string kNone = "no-files";  // an unknown kind
  static const std::map<std::string, Specs> kAll{
      {"listops", {"listops:train=11,test=4,length=9", kTrees, "listops.txt", "more-trees.txt"}},
      {"binary-trees",
       {"binary-trees:leaves=4,samples=11,vocabulary=20", kTrees, "numbered-trees.txt", "more-trees.txt"}},
      {"random-trees",
       {"random-trees:leaves=5,train=11,test=4,vocabulary=20", kTrees, "numbered-trees.txt", "more-trees.txt"}},
      {"markov",
       {"markov:train=11,test=4,length=6,vocabulary=20", "text:train=lines.txt,dev=more-lines.txt",
        "numbered-words.txt", "more-lines.txt"}},
      {"tags",
       {"tags:train=11,test=4,length=5,vocabulary=20", "conll:train=tagged.txt,dev=more-tagged.txt",
        "numbered-words.txt", "more-tagged.txt"}},
      {"translations",
       {"translations:train=11,test=4,length=4,vocabulary=20",
        "parallel:train=source.txt+target.txt,dev=more-source.txt+more-target.txt", "numbered-words.txt",
        "more-source.txt"}},
      {"lattices", {"lattices:train=11,test=4,length=5", kNone, "lattices.jsonl", ""}},
      {"tree-pairs", {"tree-pairs:train=11,test=4,length=4,vocabulary=20", kNone, "pairs.txt", ""}},
      {"expressions", {"expressions:train=11,test=4,length=6", kNone, "expressions.jsonl", ""}},
      {"moving-shapes", {"moving-shapes:train=5,test=2,length=3", kNone, "films.jsonl", ""}},
  };
  return kAll;
}

constexpr const char* kTrees = R"((3 (2 It) (4 (2 really) (4 works)))
(1 (2 It) (0 (2 hardly) (1 works)))
(4 (3 (2 A) (3 good)) (2 film))
(0 (2 (2 A) (2 film)) (0 (2 without) (0 (2 any) (2 sense))))
(2 (2 It) (2 is))
(2 film)
(3 (2 (2 The) (2 plot)) (3 (2 really) (3 (2 is) (3 good))))
)";
constexpr const char* kMoreTrees = R"((1 (2 It) (1 (2 hardly) (3 good)))
(4 (2 A) (4 (4 good) (2 plot)))
)";
constexpr const char* kLines = R"(the cat sat on the mat
the dog sat
a dog and a cat sat on a mat and slept
slept
the mat is old

a cat is a cat
)";
constexpr const char* kMoreLines = R"(the old cat slept
a dog sat on the bird
)";
constexpr const char* kTagged = R"(Anna B-PER
lives O
in O
New B-LOC
York I-LOC

It O
works O

Rome B-LOC
and O
Anna B-PER
and O
Bob B-PER

Anna B-PER
Smith I-PER
works O
in O
Rome B-LOC
)";
constexpr const char* kMoreTagged = R"(Bob B-PER
lives O
in O
Rome B-LOC

Anna B-PER
works O
)";
constexpr const char* kSource = "a b c\nb c\nd\na a b\nc d a b\n";
constexpr const char* kTarget = "A B C\nB C\nD D\nA A B\nC D B A\n";
constexpr const char* kMoreSource = "c b\na b d\n";
constexpr const char* kListops = "[MAX 2 9 [MIN 4 7] 0]\n[MED 1 2 3]\n[MIN 4 4]\n";
constexpr const char* kNumberedTrees = "((w2) (w3))\n(((w2) (w5)) (w7))\n(w2)\n";
constexpr const char* kNumberedWords = "w2 w3 w5\nw7\nw2 w2 w9 w11 w3\n";
constexpr const char* kPairs = "(w2 (w3))\t(w4)\n(w2)\t(w5 (w2) (w7))\n";
constexpr const char* kExpressions =
    R"({"children":[[],[0],[0,1]],"pull":{"word":["3","MAX","MIN"]}}
{"children":[[]],"pull":{"word":["7"]}}
)";
constexpr const char* kLattices =
    R"({"types":["position","character","position","character","word","position"],)"
    R"("children":[[],[0],[1],[2],[0],[3,4]],"pull":{"word":[null,"w2",null,"w3","w8",null]}}
)";
constexpr const char* kMoreTarget = "C B\nA B D\n";

/// Vectors of some of the words in all data.
std::string vectors() {
  std::string text;
  int n = 0;
  for (const char* word :
       {"w2", "w3", "w5", "w7", "the", "cat", "It", "works", "good", "Anna", "Rome", "a", "b", "MAX", "3", "7"})
    for (int column = 0; column < 5; ++column, ++n)
      text +=
          column == 0 ? std::string(word) : fmt::format(" {}{}", (n * 7) % 19 / 10.0 - 0.9, column == 4 ? "\n" : "");
  return text;
}

/// Two frames of a film.
std::string film() {
  std::string pixels = "0.5";
  for (int i = 1; i < 256; ++i) pixels += fmt::format(",{}", i % 11 / 10.0);
  return fmt::format(R"({{"types":["frame","frame"],"children":[[],[0]],"pull":{{"pixels":[[{}],null]}}}})", pixels) +
         "\n";
}

const std::map<std::string, std::string>& files() {
  static const std::map<std::string, std::string> kAll{
      {"trees.txt", kTrees},
      {"more-trees.txt", kMoreTrees},
      {"lines.txt", kLines},
      {"more-lines.txt", kMoreLines},
      {"tagged.txt", kTagged},
      {"more-tagged.txt", kMoreTagged},
      {"source.txt", kSource},
      {"target.txt", kTarget},
      {"more-source.txt", kMoreSource},
      {"more-target.txt", kMoreTarget},
      {"vectors.txt", vectors()},
      {"listops.txt", kListops},
      {"numbered-trees.txt", kNumberedTrees},
      {"numbered-words.txt", kNumberedWords},
      {"pairs.txt", kPairs},
      {"expressions.jsonl", kExpressions},
      {"lattices.jsonl", kLattices},
      {"films.jsonl", film()},
      {"lexicon.txt", "w2w3\nw5w7\n"},
  };
  return kAll;
}

}  // namespace

std::string data_kind(const std::string& model) {
  const std::string_view spec = find_model(model).data;
  return std::string(spec.substr(0, spec.find(':')));
}

std::string data_spec(const std::string& model, const std::string& choice) {
  const Specs& of = specs().at(data_kind(model));
  return (choice == "files" ? of.files : of.generated) + (find_model(model).steps > 0 ? ",steps=5" : "");
}

std::string raw_samples(const std::string& model, const std::string& choice) {
  const Specs& of = specs().at(data_kind(model));
  return choice == "files" ? of.raw_of_files : of.raw;
}

void write_data_files() {
  for (const auto& [name, text] : files()) write_bytes(name, text);
}

std::string data_files_for(const std::string& commands) {
  std::string written;
  for (const auto& [name, text] : files())
    if (commands.find(name) != commands.npos) written += fmt::format("cat >{} <<'END'\n{}END\n", name, text);
  return written;
}

}  // namespace cavs::zoo
