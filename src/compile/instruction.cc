#include "compile/instruction.h"

#include "support/overloaded.h"

namespace cavs::inline v0_1 {

bool RowGroup::operator==(const RowGroup& other) const {
  return members == other.members && tile_widths == other.tile_widths && product_units == other.product_units;
}

std::string_view name_of(const Instruction& instruction) {
  return std::visit(
      Overloaded{
          [](const Elementwise&) -> std::string_view { return "elementwise"; },
          [](const Matmul& m) -> std::string_view { return m.transposed ? "matmul_transposed" : "matmul"; },
          [](const RowOp& row) -> std::string_view { return row.op->name; },
          [](const WeightGradient&) -> std::string_view { return "weight_gradient"; },
          [](const SumRows&) -> std::string_view { return "sum_rows"; },
          [](const LookupGradient&) -> std::string_view { return "lookup_gradient"; },
          [](const GatherGradient&) -> std::string_view { return "gather_gradient"; },
          [](const SegmentSum&) -> std::string_view { return "segment_sum"; },
          [](const LinearCrossEntropy&) -> std::string_view { return "linear_cross_entropy"; },
          [](const RowGroup&) -> std::string_view { return "row_group"; },
      },
      instruction.kind);
}

}  // namespace cavs::inline v0_1
