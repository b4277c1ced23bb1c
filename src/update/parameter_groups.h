#pragma once

#include <string>
#include <vector>

#include "cavs/optimizer.h"

namespace cavs::inline v0_1 {

/// @throws UserError for an empty or overlong pattern, or a rate that is negative or not finite.
void check_group(const ParameterGroup& group);

struct ParameterRate {
  double lr = 0;  // before the schedule's factor; 0 if frozen
  bool frozen = false;
};
/// The rate of every parameter, by the last group that its name matches.
/// @throws UserError for a group that matches no parameter, naming all parameters, and if all parameters are frozen.
std::vector<ParameterRate> rates_by_group(const OptimizerOptions& options,
                                          const std::vector<ParameterInfo>& parameters);

}  // namespace cavs::inline v0_1
