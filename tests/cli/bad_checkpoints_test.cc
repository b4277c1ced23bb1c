// Mistakes in checkpoints, run by bad_input_test.cc.
#include <cmath>

#include "bad_input.h"
#include "cavs/checkpoint.h"

namespace cavs::testing {
namespace {

constexpr const char* kTrain =
    "train tree-lstm --data listops:train=20,test=0,length=9 --hidden 4 --embedding 4 --epochs 1 --seed 1";

}  // namespace

Section bad_checkpoints(const Workplace& place) {
  Section section{"Checkpoints", {}};
  const auto add = [&](const char* what, const char* says, const std::string& shown, const std::string& arguments,
                       std::function<std::string(std::string)> alter) {
    section.cases.push_back({what, says, shown, 1, [=, &place] {
                               if (place.read("a.cavs").empty()) place.run(std::string(kTrain) + " --save a.cavs");
                               place.write("b.cavs", alter(place.read("a.cavs")));
                               return place.run(arguments);
                             }});
  };
  const auto whole = [](std::string bytes) { return bytes; };
  add("no file",
      "missing.cavs: cannot open the file: No such file or directory; expected a checkpoint of cavs (safetensors); "
      "check its name and directory; 'cavs train MODEL --save FILE' writes one",
      "cavs eval missing.cavs", "eval missing.cavs", whole);
  add("empty file",
      "b.cavs: expected a checkpoint of cavs (safetensors); found an empty file; 'cavs train MODEL --save FILE' writes "
      "one",
      "", "eval b.cavs", [](const std::string&) { return ""; });
  add("no checkpoint",
      "b.cavs: expected a checkpoint of cavs (safetensors); found a file that begins with 'just text'; 'cavs train "
      "MODEL --save FILE' writes one",
      "just text", "eval b.cavs", [](const std::string&) { return "just text\n"; });
  add("cut off in the header",
      "b.cavs: the header should have 8248 bytes, but only 92 follow: the file is cut off; use another copy, or train "
      "again",
      "the first 100 bytes", "eval b.cavs", [](const std::string& bytes) { return bytes.substr(0, 100); });
  add("cut off in the tensors",
      "b.cavs: tensor 'parameters/output_b': data ends at byte 3056, but the file has only 3055: it is cut off; use "
      "another copy, or train again",
      "all but the last byte", "eval b.cavs",
      [](const std::string& bytes) { return bytes.substr(0, bytes.size() - 1); });
  add("one bit altered",
      "b.cavs: damaged or altered: its content hashes to <hash>, but <hash> was stored when it was written; use "
      "another copy, or train again",
      "the last byte, its lowest bit", "eval b.cavs", [](std::string bytes) {
        bytes.back() = static_cast<char>(bytes.back() ^ 1);
        return bytes;
      });
  add("header of an absurd length",
      "b.cavs: expected a checkpoint of cavs (safetensors); found a file that begins with "
      "'\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF{\"__meta'; 'cavs train MODEL --save FILE' writes one",
      "the first 8 bytes 0xFF", "eval b.cavs", [](std::string bytes) { return bytes.replace(0, 8, 8, '\xFF'); });
  add("resumed with other options",
      "a.cavs was trained with other options or data; resume with the same:\n  --accumulate: 1 in the checkpoint, "
      "2 here\n  --batch-size: 64 in the checkpoint, 7 here\n  --bucket: 0 in the checkpoint, 2 here\n  --clip: 0 in "
      "the "
      "checkpoint, 2 here\n  --ema: 0 in the checkpoint, 0.9 here\n  --engine: batched in the checkpoint, reference "
      "here\n  --label-smoothing: 0 in the checkpoint, 0.1 here\n  --lr and --freeze of parameters: none in the "
      "checkpoint, embedding frozen here\n  optimizer's lr: 0.001 in the checkpoint, 0.5 here",
      "cavs train ... --accumulate 2 --batch-size 7 --bucket 2 --clip 2 ... --resume a.cavs",
      std::string(kTrain) +
          " --accumulate 2 --batch-size 7 --bucket 2 --clip 2 --ema 0.9 --engine reference "
          "--label-smoothing 0.1 --freeze embedding --lr 0.5 --resume a.cavs",
      whole);
  add("resumed with another seed",
      "a.cavs was trained with other options or data; resume with the same:\n  --seed: 1 in the checkpoint, 2 "
      "here\n  content of the data: 849c9f2a84bcd290 in the checkpoint, <...> here",
      "cavs train ... --seed 2 --resume a.cavs", std::string(kTrain) + " --seed 2 --resume a.cavs", whole);
  add("resumed with other data",
      "a.cavs was trained with other options or data; resume with the same:\n  content of the data: "
      "849c9f2a84bcd290 in the checkpoint, 3875f085bd405574 here",
      "cavs train ... --data listops:train=20,test=0,length=8 --resume a.cavs",
      std::string(kTrain) + " --data listops:train=20,test=0,length=8 --resume a.cavs", whole);
  add("resumed with other development data",
      "a.cavs was trained with other options or data; resume with the same (or with --new-dev):\n  content of the "
      "development data: b7c6d0d9fb677760 in the checkpoint, 74f0cd7b410c7f8e here",
      "cavs train ... --data listops:train=20,test=1,length=9 --resume a.cavs",
      std::string(kTrain) + " --data listops:train=20,test=1,length=9 --resume a.cavs", whole);
  add("resumed with another model",
      "a.cavs was trained with other options or data; resume with the same:\n  --embedding: 4 in the checkpoint, "
      "64 here\n  --hidden: 4 in the checkpoint, 64 here\n  content of the data: 849c9f2a84bcd290 in the checkpoint, "
      "02ac92652e5027db here\n  model: tree-lstm in the checkpoint, tree-lstm-binary here\n  samples: 20 in the "
      "checkpoint, 3 here",
      "cavs train tree-lstm-binary ... --resume a.cavs",
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
  add("a value that is not finite",
      "the checkpoint has values that are not finite: parameter 'Uf' [4, 4] is nan at number 3; training diverged, or "
      "another program wrote the file; use an earlier checkpoint, or train again with a lower learning rate or clipped "
      "gradients",
      "cavs eval b.cavs", "eval b.cavs",
      changed([](Checkpoint& checkpoint) { checkpoint.parameters[1].values[3] = NAN; }));
  add("a tensor of another shape",
      "the checkpoint does not fit this model:\n  parameter 'Uf' is [4, 3]; expected [4, 4]", "cavs eval b.cavs",
      "eval b.cavs", changed([](Checkpoint& checkpoint) {
        checkpoint.parameters[1].shape.dims.back() -= 1;
        checkpoint.parameters[1].values.resize(static_cast<std::size_t>(checkpoint.parameters[1].shape.size()));
      }));
  add("a vocabulary of another size",
      "the checkpoint's vocabulary has 14 words, but table 'embedding' of the model has 15 rows; expected a row for "
      "each "
      "word: use the vocabulary that the model was trained with, or train it again",
      "cavs predict b.cavs", "predict b.cavs",
      changed([](Checkpoint& checkpoint) { checkpoint.data.words.pop_back(); }));
  add("no vocabulary, and data of words",
      "the model was saved without a vocabulary, which data 'listops:train=20,test=0,length=9' need; expected a "
      "checkpoint with a vocabulary (Checkpoint::data), or data with ids of words (jsonl:FILE)",
      "cavs eval b.cavs", "eval b.cavs --part train",
      changed([](Checkpoint& checkpoint) { checkpoint.data.words.clear(); }));
  add("a model's name that is neither model nor file",
      "'tree-lstn' is neither a checkpoint nor a model; did you mean 'tree-lstm'? known: <...>",
      "cavs inspect tree-lstn", "inspect tree-lstn", whole);
  return section;
}

}  // namespace cavs::testing
