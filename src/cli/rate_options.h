#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cavs/optimizer.h"

namespace cavs::cli {

/// What --lr may be: RATE, or PATTERN=RATE or PATTERN=FACTORx for some of the parameters.
CLI::Validator learning_rate();
/// What --freeze may be.
CLI::Validator name_pattern();

/// Puts what --lr and --freeze say into the options. What is frozen stays so, whatever rate it was given.
void set_rates(const std::vector<std::string>& rates, const std::vector<std::string>& frozen,
               OptimizerOptions& options);

/// The groups as one text, for the record of a training; "none".
std::string describe_groups(const OptimizerOptions& options);

/// Warns of options of the learning rate's decay that the one that was chosen does not have.
void warn_of_unused_decay(const CLI::App& app, std::string_view decay);

}  // namespace cavs::cli
