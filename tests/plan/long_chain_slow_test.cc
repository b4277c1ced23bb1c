#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graphs/error_text.h"
#include "helpers/finite_differences.h"
#include "helpers/models.h"

namespace cavs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

GraphSet million_chain() {
  GraphSet graphs(dressed_schema());
  graphs.add(dressed(chain(1'000'000), 1));
  return graphs;
}

TEST(LongChain, AChainOfAMillionVerticesIsInferredAndTrainedOrRefused) {
  const GraphSet graphs = million_chain();
  const Model model = find_model("tree-lstm").make({.vocabulary = kWords, .embedding = 16, .hidden = 16});
  const std::int32_t sample = 0;
  {
    const Bench bench(model, graphs, {.training = false});
    Session session(bench.program, bench.parameters);
    EXPECT_TRUE(std::isfinite(session.forward(*bench.bound, {&sample, 1}).loss()));
  }
  const Bench bench(model, graphs);
  Session session(bench.program, bench.parameters, {.memory_limit = std::int64_t{64} << 20});
  EXPECT_THAT(error_of([&] {
                session.forward(*bench.bound, {&sample, 1});
              }),
              AllOf(HasSubstr("1000000 vertices"), HasSubstr("the limit is 64.0 MiB")));
}

}  // namespace
}  // namespace cavs
