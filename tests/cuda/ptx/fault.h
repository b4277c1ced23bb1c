#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cavs::cuda::ptx {

/// A fault of a kernel or of its launch.
enum class FaultKind {
  kSyntax,              // text that cannot be parsed
  kUnknownInstruction,  //
  kRace,                // two unordered accesses, at least one of them a write
  kOutOfBounds,         // outside of every allocation
  kMisaligned,          //
  kReadOnly,            // a write to constants, or ld.global.nc of memory that the launch writes
  kUnwrittenRegister,   // a read before the first write
  kUnwrittenMemory,     //
  kDivergence,          // a collective that some of its lanes do not reach
  kDeadlock,            // a barrier that some threads do not reach, or an endless wait
  kUndefined,           // undefined in the PTX manual
};

class Fault : public std::runtime_error {
 public:
  Fault(FaultKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  FaultKind kind() const { return kind_; }

 private:
  FaultKind kind_;
};

template <typename... Args>
[[noreturn]] void fault(FaultKind kind, fmt::format_string<Args...> format, Args&&... args) {
  throw Fault(kind, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace cavs::cuda::ptx
