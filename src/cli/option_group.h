#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

namespace cavs::cli {

/// Adds options to a command under one heading of its --help.
class OptionGroup {
 public:
  OptionGroup(CLI::App& app, std::string heading) : app_(app), heading_(std::move(heading)) {}

  /// @param type  word for the value in --help, such as "FILE"
  template <typename T>
  CLI::Option* add(const std::string& name, T& value, const char* type, const CLI::Validator& check,
                   const std::string& doc) const {
    return app_.add_option(name, value, doc)->type_name(type)->check(check)->group(heading_);
  }
  /// Adds an option. --help shows the current value as the default.
  template <typename T>
  CLI::Option* add_with_default(const std::string& name, T& value, const char* type, const CLI::Validator& check,
                                const std::string& doc) const {
    return add(name, value, type, check, doc)->capture_default_str();
  }
  /// Adds an option that may be given several times.
  template <typename T>
  CLI::Option* add_list(const std::string& name, T& values, const char* type, const CLI::Validator& check,
                        const std::string& doc) const {
    return add(name, values, type, check, doc)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->expected(1);
  }
  CLI::Option* add_flag(const std::string& name, bool& value, const std::string& doc) const {
    return app_.add_flag(name, value, doc)->group(heading_);
  }

 private:
  CLI::App& app_;
  std::string heading_;
};

}  // namespace cavs::cli
