// Sums of the gradients of a step's minibatches.

#include "update/step_sum.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "cavs/optimizer.h"
#include "cavs/trainer.h"
#include "helpers/allocations.h"
#include "helpers/compare.h"
#include "helpers/models.h"
#include "train/batches.h"

namespace cavs {
namespace {

using Row = std::vector<float>;
/// Rows of each parameter. A dense gradient is row 0.
using Sum = std::vector<std::map<std::int32_t, Row>>;

Sum plus(const Sum& a, const Sum& b) {
  Sum sum = a;
  for (std::size_t p = 0; p < sum.size(); ++p)
    for (const auto& [row, more] : b[p])
      if (const auto [at, is_new] = sum[p].try_emplace(row, more); !is_new)
        for (std::size_t i = 0; i < more.size(); ++i) at->second[i] += more[i];
  return sum;
}

/// The sum by definition, as a tree.
Sum tree(const std::vector<Sum>& minibatches, std::size_t lo, std::size_t hi) {
  if (hi - lo == 1) return minibatches[lo];
  std::size_t power = 1;
  while (2 * power < hi - lo) power *= 2;
  return plus(tree(minibatches, lo, lo + power), tree(minibatches, lo + power, hi));
}

Sum rows_of(const Gradients& gradients) {
  Sum sum(gradients.size());
  for (std::size_t p = 0; p < sum.size(); ++p) {
    const ParameterInfo& info = (*gradients.list())[p];
    const auto values = gradients.values(p);
    if (!info.table) sum[p][0].assign(values.begin(), values.end());
    const std::int64_t width = info.table ? info.shape.dims[1] : 0;
    for (const std::int32_t row : gradients.table_rows[p]) {
      const auto of_row = values.subspan(row * width, width);
      sum[p][row].assign(of_row.begin(), of_row.end());
    }
  }
  return sum;
}

class StepSums : public testing::Test {
 protected:
  static float number(Numbers& numbers) { return static_cast<float>(numbers.below(1 << 20)) * 1e-3F - 500; }

  /// Fills gradients like a backward pass: rows in any order, possibly none.
  void fill(Gradients& gradients, Numbers& numbers) const {
    clear(parameters_, gradients);
    for (std::size_t p = 0; p < gradients.size(); ++p) {
      const ParameterInfo& info = parameters_.info(static_cast<int>(p));
      if (!info.table) {
        for (float& x : gradients.values(p)) x = number(numbers);
        continue;
      }
      const std::int64_t rows = info.shape.dims[0], width = info.shape.dims[1];
      const int percent = numbers.below(101);
      for (std::int64_t i = 0, row = numbers.below(static_cast<int>(rows)); i < rows; ++i, row = (row + 7) % rows) {
        if (numbers.below(100) >= percent) continue;
        gradients.table_rows[p].push_back(static_cast<std::int32_t>(row));
        for (float& x : gradients.values(p).subspan(row * width, width)) x = number(numbers);
      }
    }
  }

  std::vector<Sum> add(StepSum& sum, std::int64_t minibatches, Numbers& numbers) const {
    std::vector<Sum> added;
    for (std::int64_t m = 0; m < minibatches; ++m) {
      fill(sum.next(), numbers);
      added.push_back(rows_of(sum.next()));
      sum.add();
    }
    return added;
  }

  /// A dense gradient longer than one block of a sum, and tables with short and long rows.
  const Parameters parameters_{
      {{"W", {41, 60}, false, {}}, {"E", {20, 3}, true, {}}, {"b", {5}, false, {}}, {"long", {3, 1030}, true, {}}}, 1};
};

TEST_F(StepSums, AddInAFixedTreeForAnyNumberOfMinibatches) {
  Numbers numbers(5);
  Gradients total(parameters_);
  HostStepSum sum(parameters_, total);
  for (std::int64_t minibatches = 1; minibatches <= 40; ++minibatches) {
    sum.begin(minibatches);
    const std::vector<Sum> added = add(sum, minibatches, numbers);
    ASSERT_EQ(rows_of(total), tree(added, 0, added.size())) << minibatches;
    for (std::size_t p = 0; p < total.size(); ++p) {
      const std::vector<std::int32_t>& rows = total.table_rows[p];
      ASSERT_TRUE(std::ranges::is_sorted(rows)) << minibatches;
      ASSERT_EQ(std::ranges::adjacent_find(rows), rows.end()) << minibatches;
    }
  }
}

TEST_F(StepSums, LeaveUnlistedRowsZero) {
  EXPECT_TRUE(rc::check([this] {
    Numbers numbers(*rc::gen::arbitrary<std::uint64_t>());
    Gradients total(parameters_);
    HostStepSum sum(parameters_, total);
    for (const auto minibatches :
         *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(1, 9))) {
      sum.begin(minibatches);
      add(sum, minibatches, numbers);
      for (const std::size_t p : {1, 3}) {
        const std::int64_t width = parameters_.info(static_cast<int>(p)).shape.dims[1];
        std::vector<float> unlisted(total.values(p).begin(), total.values(p).end());
        for (const std::int32_t row : total.table_rows[p]) std::fill_n(unlisted.begin() + row * width, width, 0.0F);
        RC_ASSERT(std::ranges::all_of(unlisted, [](float x) { return x == 0; }));
      }
    }
  }));
}

TEST_F(StepSums, CopyARowThatOnlyOneSideHas) {
  Gradients total(parameters_);
  HostStepSum sum(parameters_, total);
  const auto only_row = [&](std::int32_t row, float value) {
    Gradients& next = sum.next();
    clear(parameters_, next);
    next.table_rows[1] = {row};
    std::ranges::fill(next.values(1).subspan(row * 3, 3), value);
    sum.add();
  };
  sum.begin(3);
  only_row(7, -0.0F);  // adding zero would give +0
  only_row(2, 4);
  only_row(2, 5);
  EXPECT_EQ(total.table_rows[1], (std::vector<std::int32_t>{2, 7}));
  expect_same_bits(total.values(1).subspan(6, 3), Row{9, 9, 9}, "two sides");
  expect_same_bits(total.values(1).subspan(21, 3), Row{-0.0F, -0.0F, -0.0F}, "one side");
}

TEST_F(StepSums, ForgetAnUnfinishedStep) {
  Numbers numbers(6);
  Gradients total(parameters_);
  HostStepSum sum(parameters_, total);
  for (std::int64_t ended = 0; ended < 7; ++ended) {
    sum.begin(8);
    add(sum, ended, numbers);
    sum.begin(5);
    const std::vector<Sum> added = add(sum, 5, numbers);
    EXPECT_EQ(rows_of(total), tree(added, 0, 5)) << ended;
  }
}

/// A trainer on trees of words.
struct TrainedTrees {
  explicit TrainedTrees(int accumulate, int threads = 2) {
    options = {.batch_size = 3, .accumulate = accumulate, .optimizer = optimizer_defaults("sgd")};
    options.optimizer.lr = 0.1;
    options.session.threads = threads;
  }
  Model model = small_model("tree-lstm", 0.2);
  GraphSet graphs = random_samples(find_model("tree-lstm"), 40, 50, 11, 8);
  TrainOptions options;
};

TEST(StepSum, ATrainerSumsTheMinibatchesOfAStepWithIt) {
  constexpr int kMinibatches = 7;
  TrainedTrees work(kMinibatches);
  Trainer trainer(work.model, work.graphs, work.options);
  const double loss = trainer.step().loss;

  const auto program = compile(work.model, {});
  const auto parameters = work.model.make_parameters();
  Session session(program, parameters, {.threads = 1, .seed = work.options.seed});
  const auto batches = batches_of(program, work.graphs, work.options);
  Gradients gradients(*parameters);
  std::vector<Sum> minibatches;
  std::optional<cavs::Run> run;
  double expected_loss = 0;
  for (int m = 0; m < kMinibatches; ++m) {
    const Batch batch = batches->at(0, 0, m);
    run.reset();
    run = session.forward(*batch.graphs, batch.samples, {.epoch = 0, .loss_divisor = 3.0 * kMinibatches});
    expected_loss += run->loss();
    run->backward(gradients);
    minibatches.push_back(rows_of(gradients));
  }
  EXPECT_EQ(loss, expected_loss);
  const Sum sum = tree(minibatches, 0, kMinibatches);
  clear(*parameters, gradients);
  for (std::size_t p = 0; p < sum.size(); ++p)
    for (const auto& [row, values] : sum[p]) {
      std::ranges::copy(values, gradients.values(p).begin() + row * std::ssize(values));
      if ((*gradients.list())[p].table) gradients.table_rows[p].push_back(row);
    }
  Optimizer optimizer(work.options.optimizer, *parameters);
  session.update(*run, gradients, optimizer);
  for (int p = 0; p < parameters->size(); ++p)
    expect_same_bits(trainer.parameters().values(p), parameters->values(p), parameters->info(p).name);
}

TEST(StepSum, ATrainingLoopOfSeveralMinibatchesAllocatesNothing) {
  for (const int accumulate : {1, 2, 5, 8}) {
    TrainedTrees work(accumulate, 1);
    work.options.shuffle = false;
    Trainer trainer(work.model, work.graphs, work.options);
    std::int64_t before = 0;
    while (trainer.position().epoch < 8) {  // three buffers for dealt steps alternate, and have grown by then
      if (trainer.position().epoch == 3 && trainer.position().sample == 0) before = allocations.load();
      trainer.step();
    }
    EXPECT_EQ(allocations.load() - before, 0) << accumulate;
  }
}

}  // namespace
}  // namespace cavs
