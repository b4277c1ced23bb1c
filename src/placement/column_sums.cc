#include "placement/column_sums.h"

#include <algorithm>

#include "tensor/sum_parts.h"

namespace cavs {
namespace {

constexpr std::size_t kMostFactors = 8;  // that are summed at a time

/// The first weight that has the parameter as it is declared; nullptr: none.
const Weight* declared(const Program& program, std::int32_t parameter) {
  const auto it = std::ranges::find_if(program.weights, [parameter](const Weight& weight) {
    return !weight.transposed && std::ranges::find(weight.parameters, parameter) != weight.parameters.end();
  });
  return it == program.weights.end() ? nullptr : &*it;
}

/// 0: several parameters share the units.
std::int32_t units_of(const Program& program, std::int32_t parameter, std::int32_t unit_columns) {
  const Weight* const weight = declared(program, parameter);
  if (weight == nullptr || (weight->gate == 0 && weight->parameters.size() > 1)) return 0;
  return (declared_gate(program, parameter) + unit_columns - 1) / unit_columns;
}

}  // namespace

std::int32_t declared_gate(const Program& program, std::int32_t parameter) {
  const Weight* const weight = declared(program, parameter);
  return weight != nullptr && weight->gate > 0 ? weight->gate : program.parameters[parameter].shape.dims[1];
}

std::int32_t column_sum_units(const Program& program, const std::vector<char>& readable_as_declared,
                              const OnChipTarget& target, std::span<const Factor> factors) {
  if (target.transposed != TransposedReads::kForwardColumns || !target.fixed_sums) return 0;
  if (factors.size() > kMostFactors) return 0;
  std::int32_t units = 0;
  for (const Factor& factor : factors) {
    if (readable_as_declared[factor.weight] == 0) return 0;
    for (const std::int32_t p : program.weights[factor.weight].parameters) {
      const std::int32_t of = units_of(program, p, target.unit_columns);
      if (of == 0 || (units > 0 && of != units)) return 0;
      units = of;
    }
  }
  return sum_parts(units) % target.processors == 0 ? units : 0;
}

}  // namespace cavs
