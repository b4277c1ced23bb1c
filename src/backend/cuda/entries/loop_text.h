#pragma once

#include <span>
#include <string>
#include <vector>

#include "tensor/scalar_program.h"

namespace cavs::cuda {

/// Returns CUDA C++ statements that compute a scalar program. Without pass simplify, results may have no reader.
/// @param prefix  beginning of the names of their variables
/// @param inputs  expressions for the inputs   @param outputs  set to the names of the results
std::string scalar_text(const ScalarProgram& program, const std::string& prefix, std::span<const std::string> inputs,
                        std::vector<std::string>& outputs);

}  // namespace cavs::cuda
