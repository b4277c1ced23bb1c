#pragma once

#include <vector>

#include "compile/program.h"

namespace cavs {

/// Transposed weights that ∂F alone multiplies with and whose parameters are all multiplied as they are declared, too:
/// products with such a weight can read the packs of these and need no copy of their own. [weights]
std::vector<char> readable_as_declared(const Program& program);

}  // namespace cavs
