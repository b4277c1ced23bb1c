// Scripts list the work of persistent processors in a minibatch, and the waits between them.

#include "script/script.h"

#include <gmock/gmock.h>

#include <set>

#include "helpers/zoo_test.h"
#include "script/scripted.h"

namespace cavs {
namespace {

using testing::IsEmpty;

class ScriptOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, ScriptOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(ScriptOfModel, HasNoFaultsWithAnyPolicyAndNumberOfProcessors) {
  for (const std::int32_t samples : {1, 6}) {
    const ZooCase zoo = make(samples, 0.2);
    for (const char* policy : {"frontier", "agenda", "serial"})
      for (const int processors : {1, 2, 3})
        EXPECT_THAT(Scripted(zoo.model, zoo.graphs, processors, policy).faults(), IsEmpty())
            << zoo.name << ", " << policy << ", " << processors << " processors, " << samples << " samples";
  }
}

TEST_P(ScriptOfModel, HasNoFaultsWithAnyPassSwitchedOff) {
  const ZooCase zoo = make(4);
  for (const std::vector<std::string>& disabled :
       std::vector<std::vector<std::string>>{{}, {"lazy"}, {"fuse_rows"}, {"merge_products"}, {"task_parallel"}})
    EXPECT_THAT(Scripted(zoo.model, zoo.graphs, 2, "frontier", {.disabled_passes = disabled}).faults(), IsEmpty())
        << zoo.name << ", without " << (disabled.empty() ? "nothing" : disabled[0]);
}

Scripted scripted(const std::string& name, int processors, std::int32_t samples = 4) {
  return {small_model(name, 0, 64), random_samples(find_model(name), samples, 50, 11), processors};
}

TEST(Script, IsTheSameValueForTheSamePlan) {
  const Scripted s = scripted("tree-lstm-binary", 2);
  ScriptWriter writer(*s.bench.program, s.placement);
  Script first, second = scripted("tree-gru", 3).script;  // not empty, since make() must overwrite it
  writer.make(s.plan, s.shares, first);
  writer.make(s.plan, s.shares, second);
  EXPECT_EQ(first, s.script);
  EXPECT_EQ(second, s.script);
}

TEST(Script, GrowsWithTheStepsAndNotWithTheVertices) {
  const Model model = find_model("tree-fc").make({.vocabulary = 1000, .embedding = 64, .hidden = 64, .classes = 10});
  const auto size = [&](int samples) {
    const Dataset data = load_data("binary-trees:leaves=8,samples=" + std::to_string(samples));
    const Scripted s(model, data.train, 2);
    return std::pair{s.script.entries.size(), s.script.operands.size()};
  };
  EXPECT_EQ(size(64), size(512));
}

TEST(Script, OneProcessorNeverWaits) { EXPECT_THAT(scripted("tree-lstm-2type", 1).script.waits, IsEmpty()); }

/// The loop after a product of gates is split like the product, and one processor runs the tasks of one direction.
TEST(Script, DirectionsOfAChainDoNotWaitForEachOther) {
  Scripted s = scripted("bilstm", 2, 24);
  std::size_t tasks = 0, waiting = 0;
  for (const ScriptEntry& e : s.instructions()) {
    const Step& step = s.plan.steps[e.step];
    if (step.stage != Stage::kTask) continue;
    ++tasks;
    waiting += e.waits.count > 0 && !s.shares[e.step].waits ? 1 : 0;
  }
  EXPECT_GT(tasks, 40U);
  EXPECT_LE(waiting, 8U) << "only the first entries of a section wait for the section before";
}

/// All processors read every child's state, so F needs one wait between two levels.
TEST(Script, LevelsOfATreeWaitAtMostOnceInTheForwardPass) {
  const Scripted s = scripted("tree-lstm-binary", 2, 16);
  for (std::int32_t e = 0; e < s.script.backward; ++e) {
    const ScriptEntry& entry = s.script.entries[e];
    if (s.plan.steps[entry.step].stage == Stage::kTask) {
      EXPECT_LE(entry.waits.count, 1) << e;
    }
  }
}

TEST(Script, TaskProductsAreSplitByTheOwnersOfTheirWeights) {
  Scripted s = scripted("tree-lstm-binary", 2, 16);
  int products = 0;
  for (const ScriptEntry& e : s.instructions()) {
    const Step& step = s.plan.steps[e.step];
    const Instruction& i = s.bench.program->types[step.type].at(step.backward, step.stage)[e.instruction];
    if (step.stage != Stage::kTask || !i.is<Matmul>() || s.shares[e.step].one_worker()) continue;
    EXPECT_EQ(e.share, Share::kColumns);
    EXPECT_THAT(s.script.parts[e.parts.begin], (Part{0, 0, 2})) << "two of four units";
    ++products;
  }
  EXPECT_GT(products, 0);
}

/// All processors wait for each other before the scale by the norm. After that, only tables wait.
TEST(Script, EndsWithTheUpdateAfterOneCommonWait) {
  Scripted s = scripted("tree-lstm-binary", 2, 16);
  const auto parameters = s.bench.program->parameters.size();
  std::vector<Work> works, expected{Work::kLoss};
  expected.insert(expected.end(), parameters, Work::kSquares);
  expected.push_back(Work::kScale);
  expected.insert(expected.end(), parameters, Work::kUpdate);
  for (const ScriptEntry& e : s.update()) {
    works.push_back(e.work);
    const bool is_table = e.parameter >= 0 && s.bench.program->parameters[e.parameter].table;
    EXPECT_EQ(e.waits.count > 0, e.work == Work::kScale || (is_table && e.work == Work::kUpdate));
  }
  EXPECT_EQ(works, expected);
}

/// The processor with the least accumulated load gets the next update, so the one with less work gets the first.
TEST(Script, AssignsUpdatesOfSmallParametersToTheLeastLoadedProcessor) {
  std::set<std::int32_t> processors;
  for (const char* model : {"tree-lstm-binary", "tree-fc", "var-lstm", "tree-gru"}) {
    Scripted s = scripted(model, 2, 16);
    std::vector<double> load = s.script.load;  // at the start of the update
    for (const ScriptEntry& e : s.update()) {
      if (e.parameter < 0) continue;
      const ParameterInfo& parameter = s.bench.program->parameters[e.parameter];
      const auto elements = static_cast<double>(parameter.shape.size());
      if (parameter.shape.dims.size() > 1) continue;
      EXPECT_EQ(e.share, Share::kOne) << parameter.name;
      processors.insert(e.processor);
      load[e.processor] -= 4 * elements;
    }
    if (load[0] != load[1]) {
      const auto first = std::ranges::find_if(s.update(), [](const ScriptEntry& e) { return e.share == Share::kOne; });
      ASSERT_NE(first, s.update().end());
      EXPECT_EQ(first->processor, load[0] < load[1] ? 0 : 1) << model;
    }
  }
  EXPECT_EQ(processors.size(), 2U);
}

/// A deferred gradient is computed from the words' rows, so the table changes after the gradient is complete.
TEST(Script, UpdatesATableAfterTheGradientsThatReadIt) {
  Scripted s = scripted("tree-lstm-binary", 2, 16);
  const ScriptEntry& last = s.update().back();
  ASSERT_TRUE(s.bench.program->parameters[last.parameter].table);
  EXPECT_GT(last.waits.count, 0);
}

/// If tasks sum gradients, no processor owns an element of a gradient, so all processors must meet.
TEST(Script, AllProcessorsMeetIfTasksSumGradients) {
  const Scripted s(small_model("tree-fc", 0, 64), random_samples(find_model("tree-fc"), 4, 50, 11), 2, "frontier",
                   {.disabled_passes = {"lazy"}});
  EXPECT_THAT(s.script.entries, testing::Contains(testing::Field(&ScriptEntry::share, Share::kCollective)));
}

}  // namespace
}  // namespace cavs
