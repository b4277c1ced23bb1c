#pragma once

#include <stdexcept>
#include <string>

#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// Thrown for a mistake of the caller: a wrong option, file, graph or declaration. The message says what was found,
/// what was expected, where, and what to do. A function that throws has changed nothing, unless its comment says
/// otherwise.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& message) : std::runtime_error(message) {}
};

/// Thrown for a mistake of the library itself; please report it.
class InternalError : public std::logic_error {
 public:
  explicit InternalError(const std::string& message) : std::logic_error(message) {}
};

}  // namespace v0_1
}  // namespace cavs
