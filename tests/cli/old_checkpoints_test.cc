// Checkpoints without newer options are resumed as if these had their defaults. Checkpoints with an unknown graph
// builder are refused.

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "cavs/checkpoint.h"
#include "cavs/trained_model.h"
#include "cli/run_here.h"
#include "graphs/error_text.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

constexpr const char* kOptions = "train_options";  // key of the options that the command stores

bool train(const std::string& options) {
  const std::string command = std::string(CAVS_COMMAND) +
                              " train tree-fc --hidden 6 --embedding 6 --limit 20 --batch-size 8 --threads 1 " +
                              options + " >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

/// Saves a checkpoint with changed training options.
void change_options(const std::string& from, const std::string& to,
                    const std::function<void(nlohmann::json&)>& change) {
  Checkpoint checkpoint = load_checkpoint(from);
  auto options = nlohmann::json::parse(checkpoint.extra.at(kOptions));
  change(options);
  checkpoint.extra[kOptions] = options.dump();
  save_checkpoint(to, checkpoint);
}

TEST(OldCheckpoints, AreResumedWithDefaultsForNewerOptions) {
  const TemporaryFolder folder;
  const std::string now = folder / "now.cavs", old = folder / "old.cavs";
  ASSERT_TRUE(train("--epochs 1 --save " + now));
  change_options(now, old, [](nlohmann::json& options) {
    for (const char* later : {"--precision", "--bucket", "--stream", "content of the development data"})
      EXPECT_EQ(options.erase(later), 1U) << later;
    options.at("learning rate's decay_steps") = "5";  // stored although the decay does not use it
  });
  for (const std::string& file : {now, old}) ASSERT_TRUE(train("--epochs 2 --resume " + file + " --save " + file));
  EXPECT_TRUE(load_checkpoint(old) == load_checkpoint(now));
}

/// Checkpoints may name removed engines of the CPU, which had the bits of batched.
TEST(OldCheckpoints, OfARemovedCpuEngineAreResumedByBatched) {
  const TemporaryFolder folder;
  const std::string now = folder / "now.cavs", old = folder / "old.cavs";
  for (const char* engine : {"persistent", "auto"}) {
    ASSERT_TRUE(train("--epochs 1 --overwrite --save " + now));
    change_options(now, old, [&](nlohmann::json& options) { options.at("--engine") = engine; });
    EXPECT_FALSE(train("--epochs 2 --engine reference --resume " + old + " --save " + old)) << "has other bits";
    for (const std::string& file : {now, old}) ASSERT_TRUE(train("--epochs 2 --resume " + file + " --save " + file));
    EXPECT_TRUE(load_checkpoint(old) == load_checkpoint(now)) << engine;
  }
}

TEST(OldCheckpoints, WithRenamedPassesAreResumed) {
  const TemporaryFolder folder;
  const std::string file = folder / "a.cavs";
  ASSERT_TRUE(train("--epochs 1 --disable lazy,task_parallel --save " + file));
  change_options(file, file, [](nlohmann::json& options) {
    EXPECT_EQ(options.at("--disable"), "lazy,task_parallel");
    options["--disable"] = "lazy,side_by_side";
  });
  EXPECT_FALSE(train("--epochs 2 --resume " + file + " --save " + file));
  EXPECT_TRUE(train("--epochs 2 --disable lazy,task_parallel --resume " + file + " --save " + file));
}

/// Such checkpoints assume another order of samples in the minibatches of a step.
TEST(OldCheckpoints, OfSeveralMinibatchesPerStepAreNotResumed) {
  const TemporaryFolder folder;
  const std::string now = folder / "now.cavs", old = folder / "old.cavs";
  ASSERT_TRUE(train("--accumulate 2 --epochs 1 --save " + now));
  change_options(now, old, [](nlohmann::json& options) { EXPECT_EQ(options.erase("samples of a step"), 1U); });
  EXPECT_FALSE(train("--accumulate 2 --epochs 2 --resume " + old + " --save " + old));
  EXPECT_TRUE(train("--accumulate 2 --epochs 2 --resume " + now + " --save " + now));
}

/// A checkpoint in which option `name` has this value, in addition to the options of this version.
std::string trained_with(const TemporaryFolder& folder, const std::string& name, const std::string& value) {
  const std::string file = folder / "old.cavs";
  EXPECT_TRUE(train("--epochs 1 --overwrite --save " + file));
  change_options(file, file, [&](nlohmann::json& options) {
    EXPECT_FALSE(options.contains(name));
    options[name] = value;
  });
  return file;
}

TEST(OldCheckpoints, ReportRemovedOptionsOnlyIfTheyChangedBits) {
  const std::vector<std::array<std::string, 3>> cases{
      {"--order-rows", "0", "1"}, {"--share-equal", "off", "on"}, {"--transposed-copies", "on", "off"}};
  for (const auto& [name, neutral, other] : cases) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    const std::string file = trained_with(folder, name, other);
    const cli::Ran refused = cli::run_here({"train", "tree-fc", "--hidden", "6", "--embedding", "6", "--limit", "20",
                                            "--batch-size", "8", "--epochs", "2", "--resume", file, "--save", file});
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.err, testing::AllOf(testing::HasSubstr(name + ": " + other + " in the checkpoint"),
                                            testing::HasSubstr("trains as with " + neutral)));
    const std::string same = trained_with(folder, name, neutral);
    EXPECT_TRUE(train("--epochs 2 --resume " + same + " --save " + same));
  }
}

TEST(OldCheckpoints, WithAnUnknownGraphBuilderAreRefused) {
  const TemporaryFolder folder;
  ASSERT_TRUE(train("--epochs 1 --save " + (folder / "a.cavs")));
  Checkpoint checkpoint = load_checkpoint(folder / "a.cavs");
  EXPECT_NO_THROW(trained_model(checkpoint));
  checkpoint.data.graph_builder = "bidirectional-chain";
  EXPECT_THAT(
      error_of([&] { trained_model(checkpoint); }),
      testing::AllOf(testing::HasSubstr("made by 'bidirectional-chain'"), testing::HasSubstr("train the model")));
}

}  // namespace
}  // namespace cavs
