#pragma once

#include "cli/options.h"

namespace cavs::cli {

/// Adds --config FILE, which reads options from a TOML file. Options on the command line take precedence. Keys are the
/// names of options without the leading hyphens ("model" or "checkpoint" for the argument). Keys in a section [train]
/// apply to that command only, and take precedence over keys without a section. Values are checked as in options.
///
/// The file is read before CLI11 checks for missing and contradictory options, so an option in the file counts as
/// given. All sections are checked, including sections of commands that do not run.
/// @throws UserError if the file cannot be read; UsageError with file, line and key for a mistake in it.
void add_config(CLI::App& app, Options& options);

/// Returns a text for --config with which the command runs again with the same options. It has every option that was
/// given, or whose default is known before data are read.
std::string config_text(CLI::App& command);

}  // namespace cavs::cli
