#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "ops/defined_operator.h"

namespace cavs::inline v0_1 {

/// Returns {"name", "doc", "inputs", "expression", "gradients"}. A program is a list of instructions, and the last
/// result is the output. In ["input", 0], ["constant", 0.5], ["tanh", 1], ["multiply", 0, 2], the operands of "tanh"
/// and "multiply" are numbers of earlier instructions.
nlohmann::ordered_json operator_to_json(const DefinedOperator& op);
/// @throws UserError, or nlohmann::json::exception, for any other JSON.
std::shared_ptr<const DefinedOperator> operator_from(const nlohmann::json& json);

}  // namespace cavs::inline v0_1
