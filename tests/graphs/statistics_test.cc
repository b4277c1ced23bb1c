#include <gtest/gtest.h>

#include "cavs/graph.h"

namespace cavs {
namespace {

TEST(Statistics, CountsVerticesEdgesDepthAndArity) {
  const GraphStatistics s = statistics(graphs_from_text("0>3 1>3 2>3 3>4 | 5 6"));
  EXPECT_EQ(s, (GraphStatistics{.samples = 2,
                                .vertices = 7,
                                .edges = 4,
                                .roots = 3,
                                .leaves = 5,
                                .smallest = 2,
                                .largest = 5,
                                .max_depth = 2,
                                .mean_depth = 1,
                                .max_arity = 3,
                                .mean_arity = 2}));
}

TEST(Statistics, OfAnEmptySetAreZero) { EXPECT_EQ(statistics(GraphSet()), GraphStatistics{}); }

TEST(Statistics, ArePrintedReadably) {
  EXPECT_EQ(to_string(statistics(graphs_from_text("0>2 1>2 | 3>4"))),
            "samples  2\n"
            "vertices 5 (per sample: 2 to 3)\n"
            "edges    3\n"
            "roots    2\n"
            "leaves   3\n"
            "depth    at most 1, mean 1.00\n"
            "arity    at most 2, mean 1.50\n");
}

}  // namespace
}  // namespace cavs
