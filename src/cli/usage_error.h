#pragma once

#include <stdexcept>

namespace cavs::cli {

/// Wrong use of the command line: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace cavs::cli
