#include "cli/command_line.h"
#include "cli/config_file.h"
#include "cli/usage_error.h"
#include "fuzz/fuzz_check.h"

namespace cavs {
namespace {

/// The options of "cavs train" with this file, written as a configuration file.
std::string options_with(std::string_view file) {
  static cli::CommandLine command_line;  // parse() forgets what it parsed before
  const std::string config = "--config=" + memory_file(file);
  try {
    command_line.app().parse(std::vector<std::string>{config, "train"});  // CLI11 expects the arguments in reverse
  } catch (const CLI::ParseError& error) {
    throw UserError(error.what());
  } catch (const cli::UsageError& error) {
    throw UserError(error.what());
  }
  return cli::config_text(*command_line.app().get_subcommand("train"));
}

}  // namespace
}  // namespace cavs

/// Input: a file of options (TOML). The options are parsed but not used.
CAVS_FUZZ_TARGET(config) {
  const std::string written = options_with(bytes);
  expect(options_with(written) == written, "options that were written are read as they were");
}
