#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compile/program.h"
#include "placement/on_chip.h"

namespace cavs {

/// A product with transposed weights that are read as they are declared (readable_as_declared), each processor over its
/// own columns of these: the units that the columns lie in, the same number for all of them. Every processor has whole
/// parts of the sum (sum_parts), as many as any other. 0: the product cannot be shared so.
std::int32_t column_sum_units(const Program& program, const std::vector<char>& readable_as_declared,
                              const OnChipTarget& target, std::span<const Factor> factors);

/// Columns of a gate of a parameter as it is declared, or of all of it.
std::int32_t declared_gate(const Program& program, std::int32_t parameter);

}  // namespace cavs
