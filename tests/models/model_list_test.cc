#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cavs/models.h"
#include "cavs/trainer.h"
#include "graphs/error_text.h"
#include "helpers/compare.h"
#include "helpers/zoo_test.h"
#include "ir/function.h"
#include "ir/op.h"

namespace cavs {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class EveryModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, EveryModel, testing::ValuesIn(model_names()), zoo_test_name);

TEST(Models, HaveUniqueNamesAndDocumentation) {
  std::set<std::string_view> names;
  for (const ZooModel& zoo : all_models()) {
    EXPECT_TRUE(names.insert(zoo.name).second) << zoo.name;
    EXPECT_FALSE(zoo.doc.empty()) << zoo.name;
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"tree-lstm", "tree-lstm-binary", "tree-fc", "var-lstm", "fixed-lstm"}));
}

TEST(Models, UnknownNameGetsASuggestion) {
  EXPECT_THAT(error_of([] { find_model("tree-lsmt"); }), AllOf(HasSubstr("'tree-lsmt'"), HasSubstr("tree-lstm")));
}

TEST(Models, TheSeedDeterminesTheParameters) {
  const ZooModel& zoo = find_model("tree-lstm");
  const ModelConfig config{.vocabulary = 9, .embedding = 4, .hidden = 4, .seed = 7};
  ModelConfig other = config;
  other.seed = 8;
  const auto a = zoo.make(config).make_parameters(), b = zoo.make(config).make_parameters(),
             c = zoo.make(other).make_parameters();
  expect_same_bits(a->values("W"), b->values("W"), "W");
  EXPECT_FALSE(std::equal(a->values("W").begin(), a->values("W").end(), c->values("W").begin()));
}

bool has_op(const Model& model, const std::string& function, std::string_view op) {
  for (const Function& f : model.functions())
    if (f.name == function)
      return std::any_of(f.nodes.begin(), f.nodes.end(), [&](const Node& node) { return node.op->name == op; });
  return false;
}

TEST(Models, TheFormOfTheBenchmarkSumsArcsAndLooksUpWholeMatrices) {
  ModelConfig config{.vocabulary = 9, .embedding = 4, .hidden = 4};
  for (const bool ed_batch : {false, true}) {
    config.ed_batch = ed_batch;
    for (const char* name : {"lattice-lstm", "lattice-gru"}) {
      const Model model = find_model(name).make(config);
      EXPECT_EQ(has_op(model, "position", "sum_children"), ed_batch) << name;
      EXPECT_EQ(has_op(model, "position", "mean_children"), !ed_batch) << name;
    }
    EXPECT_EQ(has_op(find_model("mv-rnn").make(config), "leaf", "diagonal"), !ed_batch);
  }
}

TEST(Models, WordMatricesStartNearTheIdentity) {
  const auto parameters = find_model("mv-rnn").make({.vocabulary = 9, .hidden = 6}).make_parameters();
  for (const float a : parameters->values("diagonal")) EXPECT_EQ(a, 1);
  for (const char* factor : {"left", "right"})
    for (const float x : parameters->values(factor)) EXPECT_LE(std::abs(x), 0.1F);
}

TEST_P(EveryModel, FitsItsTrainingSamples) {
  const GraphSet samples = random_samples(find_model(GetParam()), 12, 50, 4, 6);
  TrainOptions options;
  options.batch_size = 4;
  options.optimizer = optimizer_defaults("adam");
  options.optimizer.lr = 0.02;
  Trainer trainer(small_model(GetParam()), samples, options);
  const double first = trainer.step().loss;
  double last = 0;
  for (int step = 0; step < 150; ++step) last = trainer.step().loss;
  EXPECT_LT(last, first / 3);
}

}  // namespace
}  // namespace cavs
