#pragma once

#include "cli/options.h"

namespace cavs::cli {

/// --config FILE: options from a TOML file, where the command line does not give them. Keys are the options' names
/// without hyphens ("model" or "checkpoint" for the argument); those of a section [train] are for that command alone
/// and go before those without a section. Values are checked as those of the command line are.
///
/// It adds to what was read of the command line before CLI11 checks that nothing is missing or contradictory, so an
/// option in the file counts as one that was given. Every section is checked, also of commands that do not run.
/// @throws UserError if the file cannot be read; UsageError with file, line and key for a mistake in it.
void add_config(CLI::App& app, Options& options);

/// A text for --config that runs the command again with the same options: every value that has been given or has a
/// default that is known before data are read.
std::string config_text(CLI::App& command);

}  // namespace cavs::cli
