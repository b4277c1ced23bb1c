// Number of tasks for networks of several vertex functions. tests/law checks their numbers.

#include <gmock/gmock.h>

#include "cavs/graph.h"
#include "graphs/error_text.h"
#include "helpers/models.h"
#include "helpers/planned.h"

namespace cavs {
namespace {

TEST(Networks, AreDistinguishedFromPlainGraphs) {
  const Model network = small_model("lstm-nmt"), plain = small_model("lattice-lstm");
  GraphSet samples(translation_schema());
  samples.add(to_translation(std::vector<std::int32_t>{1, 2}, 0, std::vector<std::int32_t>{3, 0}));
  EXPECT_THAT(error_of([&] { bind_graphs(compile(network), samples); }), testing::HasSubstr("network_builder(model"));
  const GraphSet made = build_graphs(samples, network_builder(network, samples.schema()));
  EXPECT_THAT(error_of([&] { bind_graphs(compile(plain), made); }), testing::HasSubstr("the model is not one"));
}

Planned planned_tagger(std::string_view policy) {
  static const GraphSet graphs = random_samples(find_model("bilstm-tagger"), 9, 50, 3);
  return {small_model("bilstm-tagger"), graphs, {}, policy};
}

/// Two layers in two directions, and the output as one task.
TEST(Networks, NeedNoMoreTasksThanTheLowerBound) {
  for (const char* policy : {"frontier", "agenda", "ratio"}) {
    const Planned p = planned_tagger(policy);
    EXPECT_EQ(std::ssize(p.schedule.tasks), lower_bound(p.minibatch)) << policy;
    std::vector<int> tasks(p.bench.program->types.size());
    for (const Task& task : p.schedule.tasks) ++tasks[task.type];
    EXPECT_EQ(std::ranges::count(tasks, 1), 1) << policy;
  }
}

TEST(Networks, FinishOneDirectionFirstSoThatItsWeightsStayInTheCache) {
  for (const char* policy : {"frontier", "agenda"}) {
    std::vector<std::int32_t> types;
    for (const Task& task : planned_tagger(policy).schedule.tasks) types.push_back(task.type);
    types.erase(std::unique(types.begin(), types.end()), types.end());
    EXPECT_EQ(types.size(), 5U) << policy;
  }
}

}  // namespace
}  // namespace cavs
