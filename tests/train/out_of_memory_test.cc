// A failed allocation in training throws an exception. The trainer keeps the state before the step, checkpoints are
// complete, and training can continue.

#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>

#include "cavs/error.h"
#include "cavs/fit.h"
#include "cavs/models.h"
#include "helpers/allocations.h"
#include "helpers/sanitizer.h"
#include "support/file.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

/// Stride of the failing allocations. It is larger under a sanitizer.
constexpr std::int64_t one_of(std::int64_t plain) { return kSanitized ? 16 * plain + 1 : plain; }

Model small_network(std::string_view name, const Dataset& data) {
  return find_model(name).make(
      {.vocabulary = data.words.size(), .embedding = 4, .hidden = 6, .classes = data.classes, .dropout = 0.2});
}

struct Setting {
  std::string name;
  TrainOptions options;
  bool stream = false;
  bool begun = false;  // uses Trainer::start
};

void PrintTo(const Setting& setting, std::ostream* stream) { *stream << setting.name; }

std::vector<Setting> settings() {
  const TrainOptions plain{.batch_size = 2, .optimizer = optimizer_defaults("adam"), .session = {.threads = 1}};
  TrainOptions all = plain, threads = plain, stream = plain;
  all.buckets = 2;
  all.clip_norm = 0.5;
  all.accumulate = 3;
  all.ema = 0.9;
  threads.session.threads = 2;
  stream.accumulate = 2;
  return {{"Plain", plain}, {"AllOptions", all}, {"Stream", stream, true}, {"BegunOnThreads", threads, false, true}};
}

class StepOutOfMemory : public testing::TestWithParam<Setting> {
 protected:
  const TemporaryFolder folder_;
  const Dataset data_ =
      GetParam().stream
          ? load_data("text:" + written(folder_ / "a.txt", "a\nb c\nc\nd c b\na b\nb\n"), {.stream = true})
          : load_data("listops:train=6,test=1,length=6");
  const Model model_ = small_network(GetParam().stream ? "gru" : "tree-lstm", data_);

  /// A trainer after this number of steps.
  std::unique_ptr<Trainer> trainer(int steps) const {
    const TrainOptions& options = GetParam().options;
    auto made = data_.stream != nullptr ? std::make_unique<Trainer>(model_, data_.stream, options)
                                        : std::make_unique<Trainer>(model_, data_.train, options);
    for (int i = 0; i < steps; ++i) step(*made);
    return made;
  }
  static void step(Trainer& trainer) {
    if (GetParam().begun)
      trainer.start().wait();
    else
      trainer.step();
  }
  static Checkpoint state_of(const Trainer& trainer) { return trainer.checkpoint(); }
};
INSTANTIATE_TEST_SUITE_P(Of, StepOutOfMemory, testing::ValuesIn(settings()),
                         [](const auto& info) { return info.param.name; });

TEST_P(StepOutOfMemory, LeavesTheTrainerUnchanged) {
  constexpr int kSteps = 4;  // reaches the second epoch
  std::vector<Checkpoint> states;
  for (const auto straight = trainer(0); std::ssize(states) < kSteps + 2; step(*straight))
    states.push_back(state_of(*straight));
  for (int begin = 0; begin < kSteps; begin += 2) {
    std::unique_ptr<Trainer> trained = trainer(begin);
    const auto two_steps = [&] {
      step(*trained);
      step(*trained);
    };
    const auto goes_on = [&] {
      const Checkpoint state = state_of(*trained);
      ASSERT_EQ(state, states[state.position.step]);
      try {
        step(*trained);
      } catch (const std::bad_alloc&) {  // preparing this step's minibatch had failed during the step before
        step(*trained);
      }
      ASSERT_EQ(state_of(*trained), states[state.position.step + 1]);
      trained = trainer(begin);
    };
    const bool is_slow = GetParam().stream || GetParam().begun;
    EXPECT_GT(fail_each_allocation(two_steps, goes_on, one_of(is_slow ? 3 : 1)), begin == 0 ? 250 : 0);
  }
}

/// Trains for two epochs. The second training continues from the files of the first.
class FitOutOfMemory : public testing::Test {
 protected:
  using Bytes = std::vector<std::byte>;
  const TemporaryFolder folder_{folder_in_memory()};
  const Dataset data_ = load_data("listops:train=6,test=4,length=6");
  const Model model_ = small_network("tree-lstm", data_);
  const TrainOptions options_{.batch_size = 2, .optimizer = optimizer_defaults("adam")};
  const std::array<std::string, 2> paths_{folder_ / "latest", folder_ / "best"};

  void fit_to(std::int64_t epochs) const {
    Trainer trainer(model_, data_.train, options_);
    if (std::filesystem::exists(paths_[0])) trainer.restore(load_checkpoint(paths_[0]));
    fit(trainer, data_.dev, {.epochs = epochs, .save = paths_[0], .save_best = paths_[1]});
  }
  std::array<Bytes, 2> files() const { return {read_file(paths_[0], 1 << 20), read_file(paths_[1], 1 << 20)}; }
  void put(const std::array<Bytes, 2>& files) const {
    for (const int i : {0, 1})
      std::ofstream(paths_[i], std::ios::binary)
          .write(reinterpret_cast<const char*>(files[i].data()), std::ssize(files[i]));
  }
};

TEST_F(FitOutOfMemory, LeavesCompleteCheckpointsToResumeFrom) {
  fit_to(1);
  const std::array before = files();
  fit_to(2);
  const std::array after = files();
  put(before);
  const auto fit_or_say_why = [&] {
    try {
      fit_to(2);
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("do not fit into memory"));
    }
  };
  std::set<std::array<bool, 2>> states;  // tells which files are new
  const auto goes_on = [&] {
    const std::array now = files();
    for (const int i : {0, 1}) ASSERT_TRUE(now[i] == before[i] || now[i] == after[i]) << paths_[i];
    ASSERT_EQ(folder_.files(), 2);
    if (states.insert({now[0] == after[0], now[1] == after[1]}).second) {
      fit_to(2);
      ASSERT_EQ(files(), after);
    }
    put(before);
  };
  EXPECT_GT(fail_each_allocation(fit_or_say_why, goes_on, one_of(1), kLargerThanJson), 150);
  if (!kSanitized) {  // a sanitizer makes fewer allocations fail
    EXPECT_EQ(states, (std::set<std::array<bool, 2>>{{false, false}, {false, true}, {true, true}}));
  }
}

TEST_F(FitOutOfMemory, IsAnExceptionEverywhere) {
  const auto fit_without_json = [&] {
    Trainer trainer(model_, data_.train, options_);
    const FitHooks hooks{.stop = [&] { return trainer.position().epoch == 2; }};  // before it captures the model
    EXPECT_FALSE(fit(trainer, data_.dev, {.epochs = 3, .best_by = "accuracy"}, hooks));
  };
  EXPECT_GT(fail_each_allocation(
                fit_without_json, [] {}, one_of(19)),
            10'000);
}

}  // namespace
}  // namespace cavs
