#pragma once

#include <stdexcept>
#include <string>

namespace cavs::cli {

/// Wrong use of a command, with exit code 2. The command is empty for cavs itself, without a subcommand.
class UsageError : public std::runtime_error {
 public:
  UsageError(std::string command, const std::string& message)
      : std::runtime_error(message), command_(std::move(command)) {}
  const std::string& command() const { return command_; }

 private:
  std::string command_;
};

}  // namespace cavs::cli
