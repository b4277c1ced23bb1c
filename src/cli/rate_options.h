#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cavs/optimizer.h"

namespace cavs::cli {

/// Accepts the values of --lr: RATE, or PATTERN=RATE or PATTERN=FACTORx for some of the parameters.
CLI::Validator learning_rate();
/// Accepts the values of --freeze.
CLI::Validator name_pattern();

/// Sets the options from --lr and --freeze. A frozen parameter stays frozen, whatever rate it has.
void set_rates(const std::vector<std::string>& rates, const std::vector<std::string>& frozen,
               OptimizerOptions& options);

/// Returns the groups as one text, for the record of a training; "none" if there are no groups.
std::string describe_groups(const OptimizerOptions& options);

/// Warns of options of --decay that have no effect with the chosen decay.
void warn_of_unused_decay(const CLI::App& app, std::string_view decay);

}  // namespace cavs::cli
