// Lowering of attention over children.

#include <gtest/gtest.h>

#include <algorithm>

#include "cavs/session.h"
#include "compile/program.h"
#include "ir/op.h"

namespace cavs {
namespace {

TEST(Attention, OverChildrenIsOneRowGroupAndLeavesNothingInMemory) {
  constexpr int kWidth = 16;
  Model m;
  auto W = m.parameter("W", {kWidth, kWidth});
  m.vertex_function("vertex", [&](Vertex& v) {
    auto x = v.pull("x", kWidth);
    v.scatter("h", tanh(x + attention(x * W, v.children("h"), v.children("h"))));
  });
  const auto program = compile(m, {.training = false});
  const Code& task = program->types[0].at(false, Stage::kTask);
  ASSERT_EQ(task.size(), 1U) << "scores, softmax and sum depend on each other only row by row";
  const auto* group = task[0].as<RowGroup>();
  ASSERT_NE(group, nullptr);
  const auto has = [&](std::string_view op) {
    return std::any_of(group->members.begin(), group->members.end(),
                       [&](const Instruction& i) { return i.is<RowOp>() && name_of(i) == op; });
  };
  EXPECT_TRUE(has("dot") && has("softmax_children") && has("sum_children"));
  for (const Tensor& tensor : program->types[0].tensors)
    if (tensor.domain == kEdgeRows) {
      EXPECT_GE(tensor.tile, 0) << tensor.name << " is used by no other instruction";
    }
}

}  // namespace
}  // namespace cavs
