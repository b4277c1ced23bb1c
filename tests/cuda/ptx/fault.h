#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace cavs::cuda::ptx {

/// What is wrong with a kernel, or with how it was launched.
enum class FaultKind {
  kSyntax,              // text that is not understood
  kUnknownInstruction,  //
  kRace,                // two accesses, one a write, that nothing orders
  kOutOfBounds,         // of every allocation
  kMisaligned,          //
  kReadOnly,            // a write to constants, or ld.global.nc of what the launch writes
  kUnwrittenRegister,   // read before any lane's write
  kUnwrittenMemory,     //
  kDivergence,          // a collective that not all of its lanes come to
  kDeadlock,            // a barrier that not all come to, or a wait for ever
  kUndefined,           // what the PTX manual leaves undefined
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
