// fit() on several ranks, here threads, gives the evaluation, metrics, best epoch and checkpoints of one rank.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "cavs/fit.h"
#include "cavs/models.h"
#include "cavs/readers.h"
#include "helpers/ranks.h"
#include "support/temporary_folder.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A model of the zoo and data of a spec.
struct Work {
  Work(std::string_view name, const std::string& spec, const DataOptions& how = {})
      : zoo(find_model(name)), data(load(spec, how)), model(zoo.make(config())) {}

  TrainOptions options(std::shared_ptr<Job> job = nullptr) const {
    TrainOptions options{.batch_size = 4, .clip_norm = 5, .accumulate = 4};
    options.optimizer = optimizer_defaults("adam");
    options.optimizer.lr = 0.02;
    options.optimizer.schedule = {.decay = LearningRateSchedule::Decay::kPlateau, .patience = 1};
    options.job = std::move(job);
    return options;
  }
  FitOptions fit_options(const std::string& folder) const {
    return {.epochs = 4,
            .save = folder + "/latest",
            .save_every = 2,
            .metric = zoo.metric,
            .save_best = folder + "/best",
            .patience = 3};
  }

  const ZooModel& zoo;
  Dataset data;
  Model model;

 private:
  Dataset load(const std::string& spec, DataOptions how) const {
    const Model network = zoo.make({});
    how.steps = zoo.steps;
    how.spelled_below = zoo.spelled_below;
    how.graph_builder = zoo.graph_builder;
    how.network = &network;
    return load_data(spec, how);
  }
  ModelConfig config() const {
    return {.vocabulary = std::max(data.rows("word"), 1),
            .embedding = 8,
            .hidden = 8,
            .classes = data.classes,
            .dropout = 0.1};
  }
};

void expect_same_files(const Work& work) {
  const TemporaryFolder folder;
  for (const char* name : {"one", "ranks"}) std::filesystem::create_directory(folder / name);
  Trainer one(work.model, work.data, work.options());
  fit(one, work.data.dev, work.fit_options(folder / "one"));
  on_ranks(3, [&](const std::shared_ptr<Job>& job) {
    Trainer trainer(work.model, work.data, work.options(job));
    EXPECT_TRUE(fit(trainer, work.data.dev, work.fit_options(folder / "ranks")));
    EXPECT_EQ(trainer.record().metrics, one.record().metrics) << "rank " << job->rank();
  });
  for (const char* file : {"latest", "best"})
    EXPECT_EQ(bytes_of(folder / "ranks/" + file), bytes_of(folder / "one/" + file)) << file;
}

TEST(FitOnRanks, HasTheMetricsOfOneRank) {
  expect_same_files(Work("tree-lstm", "listops:train=50,test=21,length=12"));
  expect_same_files(Work("bilstm-tagger", "tags:train=50,test=21,length=12"));
  expect_same_files(Work("var-lstm", "markov:train=50,test=21,length=12"));
}

TEST(FitOnRanks, HasTheMetricsOfOneRankOnAStream) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << [] {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "a sentence " + std::to_string(i % 7) + (i % 3 == 0 ? " of words\n" : "\n");
    return text;
  }();
  expect_same_files(
      Work("var-lstm", "text:train=" + (folder / "text") + ",dev=" + (folder / "text"), {.stream = true}));
}

TEST(FitOnRanks, StopsAllAfterTheSameStepIfOneRankRequestsIt) {
  const Work work("tree-lstm", "listops:train=50,test=21,length=12");
  const TemporaryFolder folder;
  on_ranks(3, [&](const std::shared_ptr<Job>& job) {
    Trainer trainer(work.model, work.data, work.options(job));
    const FitHooks hooks{.stop = [&] { return job->rank() == 1 && trainer.position().step == 2; }};
    EXPECT_FALSE(fit(trainer, work.data.dev, work.fit_options(folder / "."), hooks));
    EXPECT_EQ(trainer.position().step, 3);
  });
  EXPECT_EQ(load_checkpoint(folder / "latest").position.step, 3);
}

TEST(FitOnRanks, UsesTheCustomMetricsOfRank0) {
  const Work work("tree-lstm", "listops:train=50,test=21,length=12");
  on_ranks(3, [&](const std::shared_ptr<Job>& job) {
    Trainer trainer(work.model, work.data, work.options(job));
    const FitOptions options{.epochs = 2, .own = {{.name = "rank", .compute = [&] { return 7.0 + job->rank(); }}}};
    fit(trainer, work.data.dev, options);
    EXPECT_EQ(trainer.record().metrics.at("dev_rank"), (std::vector<double>{7, 7}));
  });
}

TEST(FitOnRanks, EndsOnAllRanksIfRank0CannotSaveOrOptionsDiffer) {
  const Work work("tree-lstm", "listops:train=50,test=21,length=12");
  const TemporaryFolder folder;
  const auto message = [&](auto change) {
    std::string text;
    on_ranks(2, [&](const std::shared_ptr<Job>& job) {
      Trainer trainer(work.model, work.data, work.options(job));
      FitOptions options = work.fit_options(folder / ".");
      FitHooks hooks;
      change(job->rank(), options, hooks);
      const std::string found = message_of([&] { fit(trainer, work.data.dev, options, hooks); });
      if (job->rank() == 0) text = found;
    });
    return text;
  };
  EXPECT_THAT(message([&](int rank, FitOptions&, FitHooks& hooks) {
                hooks.epoch = [&, rank](const EpochReport&) {
                  if (rank == 1) throw std::runtime_error("no more");
                };
              }),
              AllOf(HasSubstr("rank 1 (host "), HasSubstr("): no more")));
  EXPECT_THAT(message([](int rank, FitOptions& options, FitHooks&) { options.epochs = 5 + rank; }),
              HasSubstr("has epochs 6, but rank 0 has 5; give all ranks the same options"));
}

}  // namespace
}  // namespace cavs
