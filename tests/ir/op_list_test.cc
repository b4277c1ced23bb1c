#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cavs/operator.h"
#include "ir/op.h"
#include "ops/defined_operator.h"

namespace cavs {
namespace {

/// The operator's name for a line of the list, such as "gather_gradient" for GatherGradient.
std::string name_of_line(std::string_view line) {
  std::string name;
  for (char c : line) {
    if (c >= 'A' && c <= 'Z' && !name.empty()) name += '_';
    name += static_cast<char>(std::tolower(c));
  }
  return name;
}

TEST(OpList, EveryLineMatchesTheIdAndTheNameOfItsDefinition) {
  const std::string_view lines[] = {
#define CAVS_OP(Name) #Name,
#include "ir/op_list.inc"
#undef CAVS_OP
  };
  ASSERT_EQ(all_ops().size(), std::size(lines));
  for (std::size_t i = 0; i < all_ops().size(); ++i) {
    const OpDef& op = *all_ops()[i];
    EXPECT_EQ(op.name, name_of_line(lines[i]));
    EXPECT_EQ(op.id, static_cast<OpId>(i)) << op.name;
    EXPECT_EQ(&find_op(op.id), &op);
    EXPECT_EQ(&find_op(op.name), &op);
  }
}

TEST(OpList, UserDefinedOperatorsAreNotListed) {
  const auto defined = define_operator({.name = "swish", .expression = [](const auto& x) { return x[0] * x[0]; }});
  EXPECT_EQ(defined->op.id, OpId::kDefined);
  EXPECT_EQ(defined->gradients[0].op.id, OpId::kDefined);
}

TEST(OpList, OnlyOperatorsWithTwoInputsHaveASum) {
  std::set<std::string_view> sums;
  for (const OpDef* op : all_ops())
    if (op->sum) {
      EXPECT_EQ(find_op(*op->sum).name, std::string(op->name) + "_sum");
      EXPECT_EQ(find_op(*op->sum).kind, op->kind);
      EXPECT_EQ(op->params.size(), 2);
      sums.insert(op->name);
    }
  EXPECT_THAT(sums, testing::UnorderedElementsAre("matmul", "matmul_transposed", "batch_matmul"));
}

}  // namespace
}  // namespace cavs
