// For every public operator: compares the gradient with finite differences, and the batched engine with the reference.

#include <gmock/gmock.h>

#include "helpers/finite_differences.h"
#include "ops/op_cases.h"

namespace cavs {
namespace {

std::vector<std::string> public_ops() {
  std::vector<std::string> names;
  for (const OpDef* op : all_ops())
    if (op->in_public && op->name != "pull_all")  // pull_all is a placeholder for a gather, tested by tests/law
      names.emplace_back(op->name);
  return names;
}

class EveryOp : public testing::TestWithParam<std::string> {
 protected:
  std::vector<OpModel> models() const {
    const auto cases = op_cases();
    const auto it = cases.find(GetParam());
    EXPECT_NE(it, cases.end()) << "operator '" << GetParam() << "' has no entry in op_cases.h";
    return it == cases.end() ? std::vector<OpModel>() : op_models(GetParam(), it->second);
  }
};

INSTANTIATE_TEST_SUITE_P(Ops, EveryOp, testing::ValuesIn(public_ops()),
                         [](const testing::TestParamInfo<std::string>& op) { return op.param; });

TEST_P(EveryOp, GradientAgreesWithFiniteDifferences) {
  const GraphSet graphs = op_graphs();
  for (const OpModel& op : models())
    expect_gradients_match_differences(Bench(op.model, graphs), all_samples(graphs), op.name);
}

/// tests/law does the same with all options, for values of one shape.
TEST_P(EveryOp, BatchedAgreesWithTheReference) {
  const GraphSet graphs = op_graphs();
  const auto samples = all_samples(graphs);
  for (const OpModel& op : models()) {
    const Bench bench(op.model, graphs);
    expect_same_numbers(bench.run(samples, {.threads = 2}), bench.run(samples, {.engine = EngineKind::kReference}),
                        *bench.parameters, op.name);
  }
}

TEST_P(EveryOp, HasDocumentationAndIsFoundByName) {
  const OpDef& op = find_op(GetParam());
  EXPECT_EQ(op.name, GetParam());
  EXPECT_THAT(op.doc, testing::Not(testing::IsEmpty()));
  for (std::string_view param : op.params) EXPECT_THAT(param, testing::Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace cavs
