#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "cavs/optimizer.h"
#include "update/optimizer_def.h"

namespace cavs::inline v0_1 {

/// A numeric or bool field of OptimizerOptions. Its values must be in [0, below), or in [0, inf) if `below` is 0.
struct OptionField {
  std::string_view name;
  std::variant<double OptimizerOptions::*, bool OptimizerOptions::*> member;
  double below = 0;
};
std::span<const OptionField> option_fields();

/// @throws UserError for an option that is out of range or that this kind does not have.
void check_options(const OptimizerDef& def, const OptimizerOptions& options);

}  // namespace cavs::inline v0_1
