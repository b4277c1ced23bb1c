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
  kRace,                // two accesses that nothing orders, at least one of which writes
  kOutOfBounds,         // an access outside of all allocations
  kMisaligned,          //
  kReadOnly,            // a write to constants, or ld.global.nc of memory that the launch writes
  kUnwrittenRegister,   // a read of a register before the first write
  kUnwrittenMemory,     //
  kDivergence,          // an instruction for several lanes that some of these lanes do not reach
  kDeadlock,            // a barrier that some threads do not reach, or an endless wait
  kUndefined,           // behaviour that the PTX manual does not define
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
