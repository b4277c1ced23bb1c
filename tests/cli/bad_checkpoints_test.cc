// Checkpoints in docs/bad-input.md.
#include <cmath>

#include "bad_input.h"
#include "cavs/checkpoint.h"

namespace cavs::testing {
namespace {

constexpr const char* kTrain =
    "train tree-lstm --data listops:train=20,test=0,length=9 --hidden 4 --embedding 4 --epochs 1 --seed 1";

}  // namespace

void train_once(const Workplace& place) {
  if (place.read("a.cavs").empty()) place.run(std::string(kTrain) + " --save a.cavs");
}

Section bad_checkpoints(const Workplace& place) {
  Section section{"Checkpoints", {}};
  const auto add = [&](const char* what, const std::string& shown, const std::string& arguments,
                       std::function<std::string(std::string)> alter) {
    section.cases.push_back({what, shown, 1, [=, &place] {
                               train_once(place);
                               place.write("b.cavs", alter(place.read("a.cavs")));
                               return place.run(arguments);
                             }});
  };
  const auto whole = [](std::string bytes) { return bytes; };
  add("no file", "cavs eval missing.cavs", "eval missing.cavs", whole);
  add("empty file", "", "eval b.cavs", [](const std::string&) { return ""; });
  add("no checkpoint", "just text", "eval b.cavs", [](const std::string&) { return "just text\n"; });
  add("cut off in the header", "the first 100 bytes", "eval b.cavs",
      [](const std::string& bytes) { return bytes.substr(0, 100); });
  add("cut off in the tensors", "all but the last byte", "eval b.cavs",
      [](const std::string& bytes) { return bytes.substr(0, bytes.size() - 1); });
  add("one bit altered", "the last byte, its lowest bit", "eval b.cavs", [](std::string bytes) {
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    return bytes;
  });
  add("header of an absurd length", "the first 8 bytes 0xFF", "eval b.cavs",
      [](std::string bytes) { return bytes.replace(0, 8, 8, '\xFF'); });
  add("resumed with other options", std::string("cavs train ... --batch-size 7 --resume a.cavs"),
      std::string(kTrain) + " --batch-size 7 --resume a.cavs", whole);
  add("resumed with other data", "cavs train ... --data listops:train=20,test=0,length=8 --resume a.cavs",
      std::string(kTrain) + " --data listops:train=20,test=0,length=8 --resume a.cavs", whole);
  add("resumed with other development data", "cavs train ... --data listops:train=20,test=1,length=9 --resume a.cavs",
      std::string(kTrain) + " --data listops:train=20,test=1,length=9 --resume a.cavs", whole);
  add("resumed with another model", "cavs train tree-lstm-binary ... --resume a.cavs",
      "train tree-lstm-binary --data binary-trees:leaves=2,samples=3 --resume a.cavs", whole);
  const auto changed = [&place](auto change) {
    return [&place, change](const std::string& bytes) {
      place.write("c.cavs", bytes);
      Checkpoint checkpoint = load_checkpoint(place.path("c.cavs"));
      change(checkpoint);
      save_checkpoint(place.path("c.cavs"), checkpoint);
      return place.read("c.cavs");
    };
  };
  add("a value that is not finite", "cavs eval b.cavs", "eval b.cavs",
      changed([](Checkpoint& checkpoint) { checkpoint.parameters[1].values[3] = NAN; }));
  add("a tensor of another shape", "cavs eval b.cavs", "eval b.cavs", changed([](Checkpoint& checkpoint) {
        checkpoint.parameters[1].shape.dims.back() -= 1;
        checkpoint.parameters[1].values.resize(static_cast<std::size_t>(checkpoint.parameters[1].shape.size()));
      }));
  add("a vocabulary of another size", "cavs predict b.cavs", "predict b.cavs",
      changed([](Checkpoint& checkpoint) { checkpoint.vocabulary.pop_back(); }));
  add("no vocabulary, and data of words", "cavs eval b.cavs", "eval b.cavs --part train",
      changed([](Checkpoint& checkpoint) { checkpoint.vocabulary.clear(); }));
  add("a model's name that is neither model nor file", "cavs inspect tree-lstn", "inspect tree-lstn", whole);
  return section;
}

}  // namespace cavs::testing
