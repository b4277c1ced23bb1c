// Products that are joined with their sum have the bits of separate products, on every instruction set.

#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/cpu/isa.h"
#include "helpers/evaluate.h"
#include "helpers/models.h"

namespace cavs {
namespace {

/// A sum of two products [kRows, kInner] x [kInner, columns] per vertex.
Model sum_of_products(std::int32_t columns) {
  constexpr std::int32_t kRows = 7, kInner = 45;  // not multiples of any vector length
  Model m({.seed = 5});
  m.vertex_function("type0", [&](Vertex& v) {
    const auto product = [&](const std::string& name) {
      const Value x = m.lookup("E" + name, {kWords, kRows * kInner})(v.pull_index("word"));
      return batch_matmul(reshape(x, {kRows, kInner}), m.parameter(name, {kInner, columns}, Initializer::uniform(1)));
    };
    const Value sum = product("A") + product("B");
    v.push("sum", sum);
    v.loss(softmax_cross_entropy(slice(reshape(sum, {kRows * columns}), 0, kLabels), v.pull_index("label")));
  });
  return m;
}

void expect_same_without() {
  const GraphSet graphs = dressed_set(std::vector<InputGraph>(30, chain(1)));
  const auto samples = all_samples(graphs);
  for (const std::int32_t columns : {1, 2, 20}) {
    const Model model = sum_of_products(columns);
    const Bench joined(model, graphs), apart(model, graphs, {.disabled_passes = {"join_products"}});
    expect_same_result_bits(joined.run(samples), apart.run(samples), std::to_string(columns) + " columns");
  }
}

// A process chooses its instruction set once, so each runs in a child process.
TEST(JoinProductsDeathTest, ChangesNoBitOnAnyInstructionSet) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  for (const cpu::Isa* isa : cpu::available_isas())
    EXPECT_EXIT(
        {
          setenv("CAVS_ISA", isa->name, 1);
          expect_same_without();
          std::_Exit(testing::Test::HasFailure() || cpu::instruction_set() != isa->name ? 1 : 0);
        },
        testing::ExitedWithCode(0), "")
        << isa->name;
}

}  // namespace
}  // namespace cavs
