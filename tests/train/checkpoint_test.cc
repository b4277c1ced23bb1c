#include "cavs/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <limits>

#include "cavs/error.h"
#include "helpers/parameters.h"
#include "helpers/sanitizer.h"
#include "support/file.h"
#include "support/temporary_folder.h"
#include "train/checkpoint_file.h"
#include "train/checkpoint_json.h"
#include "train/safetensors.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

auto refusal(const std::string& message) { return ThrowsMessage<UserError>(HasSubstr(message)); }

Parameters make_parameters(std::uint64_t seed = 1) {
  return Parameters({{"W", {5, 3}, false, {}}, {"embedding", {7, 2}, true, {}}, {"b", {}, false, {}}}, seed);
}

OptimizerOptions make_options() {
  OptimizerOptions options = optimizer_defaults("adam");
  options.lr = 0.1;
  options.schedule = {.decay = LearningRateSchedule::Decay::kCosine,
                      .warmup_steps = 3,
                      .decay_steps = 40,
                      .rate = 0.3,
                      .floor = 1.0 / 3};
  return options;
}

void train(Parameters& parameters, Optimizer& optimizer, int steps) {
  for (int step = 0; step < steps; ++step) {
    Gradients gradients(parameters);
    for (std::size_t p = 0; p < gradients.size(); ++p)
      for (std::size_t i = 0; i < gradients.values(p).size(); ++i)
        gradients.values(p)[i] = std::sin(static_cast<float>(i + static_cast<std::size_t>(optimizer.steps())));
    optimizer.step(parameters, gradients);
  }
}

Checkpoint make_checkpoint(std::uint64_t seed = 1) {
  Parameters parameters = make_parameters(seed);
  Optimizer optimizer(make_options(), parameters);
  train(parameters, optimizer, 3);
  Checkpoint checkpoint;
  capture(parameters, &optimizer, checkpoint);
  checkpoint.seed = std::numeric_limits<std::uint64_t>::max() - seed;
  checkpoint.position = {2, 1'000'000'000'000, 77};
  checkpoint.model = R"({"version": 1, "nodes": []})";
  checkpoint.data = {.spec = "jsonl:a",
                     .words = {"<unk>", "caf\u00e9", "\"", "\n", ""},
                     .schema = GraphSchema{.types = {"vertex"},
                                           .index_ports = {"word"},
                                           .float_ports = {{"box", 4}},
                                           .edge_index_ports = {"relation"},
                                           .edge_float_ports = {{"distance", 1}}},
                     .graph_builder = "output-vertex",
                     .class_names = {"O", "B-\"A\""},
                     .tag_scheme = "iob2",
                     .edge_names = {{"relation", {"det", "obj"}}},
                     .port_words = {{"pos", {"<unk>", "noun"}}},
                     .lexicon = "a b"};
  checkpoint.metrics = {{"loss", {0.1, 1e-300, -0.0}}, {"none", {}}};
  checkpoint.extra = {{"model-name", "tree-lstm"}};
  return checkpoint;
}

TEST(Checkpoint, LoadsFromItsFileUnchanged) {
  const TemporaryFolder folder;
  Checkpoint checkpoint = make_checkpoint();
  save_checkpoint(folder / "a", checkpoint);
  EXPECT_EQ(load_checkpoint(folder / "a"), checkpoint);
  checkpoint.optimizer.reset();
  save_checkpoint(folder / "b", checkpoint);
  EXPECT_EQ(load_checkpoint(folder / "b"), checkpoint);
}

TEST(Checkpoint, KeepsEveryBitOfNumbersThatAreNotFinite) {
  const TemporaryFolder folder;
  Checkpoint checkpoint = make_checkpoint();
  checkpoint.parameters[0].values[1] = std::bit_cast<float>(0x7FC12345U);
  checkpoint.metrics["loss"] = {std::bit_cast<double>(0xFFF8000000000123U), HUGE_VAL};
  save_checkpoint(folder / "a", checkpoint);
  const Checkpoint loaded = load_checkpoint(folder / "a");
  EXPECT_EQ(std::bit_cast<std::uint32_t>(loaded.parameters[0].values[1]), 0x7FC12345U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(loaded.metrics.at("loss")[0]), 0xFFF8000000000123U);
  EXPECT_EQ(loaded.metrics.at("loss")[1], HUGE_VAL);
}

TEST(Checkpoint, EqualStatesHaveEqualBytes) {
  const TemporaryFolder folder;
  save_checkpoint(folder / "a", make_checkpoint());
  save_checkpoint(folder / "b", load_checkpoint(folder / "a"));
  EXPECT_EQ(read_file(folder / "a", 100'000), read_file(folder / "b", 100'000));
}

TEST(Restore, ListsAllMismatchesAndChangesNothing) {
  const Checkpoint checkpoint = make_checkpoint();
  Parameters other({{"W", {5, 4}, false, {}}, {"U", {2}, false, {}}, {"b", {}, false, {}}}, 3);
  OptimizerOptions options = make_options();
  options.lr = 0.2;
  Optimizer optimizer(options, other);
  const auto before = values_of(other);
  EXPECT_THAT([&] { restore(checkpoint, other, &optimizer); },
              ThrowsMessage<UserError>(
                  AllOf(HasSubstr("does not fit this model"), HasSubstr("parameter 'W' is [5, 3]; expected [5, 4]"),
                        HasSubstr("parameter 'U' [2] is missing"), HasSubstr("parameter 'embedding' [7, 2] is unknown"),
                        HasSubstr("its optimiser's lr is 0.1; expected 0.2"),
                        HasSubstr("optimiser state exp_avg of 'U' [2] is missing"))));
  EXPECT_EQ(values_of(other), before);
  EXPECT_EQ(optimizer.steps(), 0);
}

TEST(Restore, RefusesToResumeWithoutOptimizerState) {
  Checkpoint checkpoint = make_checkpoint();
  checkpoint.optimizer.reset();
  Parameters parameters = make_parameters();
  Optimizer optimizer(make_options(), parameters);
  EXPECT_THAT([&] { restore(checkpoint, parameters, &optimizer); }, refusal("saved for prediction only"));
  const std::uint64_t before = parameters.version(0);
  EXPECT_NO_THROW(restore(checkpoint, parameters, nullptr));
  EXPECT_GT(parameters.version(0), before) << "weights are packed again";
}

class SavedCheckpoint : public testing::Test {
 protected:
  SavedCheckpoint() {
    save_checkpoint(path_, make_checkpoint());
    bytes_ = read_file(path_, 100'000);
  }
  static void expect_refused(std::vector<std::byte> bytes, std::size_t place) {
    EXPECT_THROW(checkpoint_from(parse_safetensors(std::move(bytes), "w")), UserError) << place;
  }
  TemporaryFolder folder_;
  std::string path_ = folder_ / "checkpoint";
  std::vector<std::byte> bytes_;
};

TEST_F(SavedCheckpoint, IsRefusedIfTruncatedAtAnyByte) {
  for (std::size_t size = 0; size < bytes_.size(); ++size)
    expect_refused({bytes_.begin(), bytes_.begin() + size}, size);
}

TEST_F(SavedCheckpoint, IsRefusedWithAnyBitFlipped) {
  for (std::size_t bit = 0; bit < 8 * bytes_.size(); bit += kSanitized ? 7 : 1) {
    std::vector<std::byte> altered = bytes_;
    altered[bit / 8] ^= std::byte{1} << (bit % 8);
    expect_refused(altered, bit);
  }
}

/// Saves the checkpoint with one entry of its metadata replaced or removed, and with a correct hash.
class ForgedCheckpoint : public testing::Test {
 protected:
  void forge(const std::string& key, const std::string& text) {
    save_checkpoint(path_, make_checkpoint());
    Safetensors file = read_safetensors(path_);
    file.metadata[key] = text;
    if (text.empty()) file.metadata.erase(key);
    write_safetensors(path_, file.tensors, file.metadata);
  }
  void expect(const std::string& key, const std::string& text, const std::string& message) {
    forge(key, text);
    EXPECT_THAT([&] { load_checkpoint(path_); }, refusal(message)) << key;
  }
  TemporaryFolder folder_;
  std::string path_ = folder_ / "forged";
};

TEST_F(ForgedCheckpoint, IsRefusedWithTheReason) {
  expect("format", "", "a safetensors file, but not a checkpoint");
  expect("format_version", "2", "written by a newer cavs (checkpoint format 2; this one reads up to 1); update cavs");
  expect("format_version", "x", "format_version is 'x'");
  expect("model", "", "has no entry 'model'");
  expect("vocabulary", "{}", "entry 'vocabulary': expected a list of texts");
  expect("vocabulary", "[[[[[[]]]]]]", "nests 6 levels deep");
  expect("extra", "[]", "entry 'extra': expected an object of texts");
  expect("position", R"({"seed":1,"epoch":0,"sample":0})", "entry 'position': field 'step' is missing");
  expect("position", R"({"seed":1,"epoch":-1,"sample":0,"step":0})", "field 'epoch' is -1; expected an integer from 0");
  expect("position", R"({"seed":1,"epoch":9223372036854775808,"sample":0,"step":0})", "too large");
  expect("position", R"({"seed":1,"epoch":0,"sample":0,"step":9223372036854775807})",
         "expected at most 9007199254740992");
  expect("position", R"({"seed":1,"epoch":0,"sample":0,"step":0,"more":0})", "5 fields found, 4 known");
  expect("optimizer", "", "but no entry 'optimizer'");
  expect("optimizer", "{}", "field 'options' is missing");
}

TEST_F(ForgedCheckpoint, IsRefusedWithBadOptimizerOptions) {
  const auto expect_options = [&](const std::string& key, const nlohmann::json& value, const std::string& message) {
    nlohmann::json options = options_to_json(make_options());
    options[nlohmann::json::json_pointer(key)] = value;
    expect("optimizer", nlohmann::json{{"options", options}, {"steps", 3}}.dump(), message);
  };
  expect_options("/kind", "lion", "unknown optimizer 'lion'");
  expect_options("/momentum", 0.9, "optimizer 'adam' has no option momentum");
  expect_options("/kind", "adamw", "expected 'optimizer/adamw/SLOT/NAME'");
  expect_options("/lr", "fast", "field 'lr' is \"fast\"; expected a number");
  expect_options("/lr", -1, "lr is -1");
  expect_options("/schedule/decay", "cosin", "did you mean 'cosine'?");
  expect_options("/schedule/extra", 1, "schedule: 6 fields found, 5 known");
}

TEST(SaveCheckpoint, RefusesTextThatIsNotUtf8) {
  const TemporaryFolder folder;
  Checkpoint checkpoint = make_checkpoint();
  checkpoint.data.words.push_back("\xff");
  EXPECT_THAT([&] { save_checkpoint(folder / "a", checkpoint); }, refusal("not valid UTF-8"));
  EXPECT_EQ(folder.files(), 0);
}

TEST(SaveCheckpoint, LeavesACompleteFileWheneverItIsKilled) {
  const TemporaryFolder folder;
  Checkpoint first = make_checkpoint(1);
  first.metrics["many"].resize(200'000);  // large enough that the process is killed while it writes
  Checkpoint second = first;
  second.metrics["many"].back() = 1;
  save_checkpoint(folder / "a", first);
  for (int round = 0; round < 60; ++round) {
    const pid_t child = ::fork();
    if (child == 0)
      for (;;) {
        save_checkpoint(folder / "a", second);
        save_checkpoint(folder / "a", first);
      }
    ::usleep(1000 + 137 * round);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const Checkpoint loaded = load_checkpoint(folder / "a");
    EXPECT_TRUE(loaded == first || loaded == second) << round;
  }
  EXPECT_LE(folder.files(), 2);
}

}  // namespace
}  // namespace cavs
