#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cavs::inline v0_1 {

/// The scalar operations of element-wise operators. Each backend implements this list once.
enum class ScalarOp : std::uint8_t {
  kInput,     // dst = input[a]
  kConstant,  // dst = value
  kAdd,       // kAdd to kMin: dst = a op b
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kGreater,  // dst = a > b ? 1 : 0
  kEqual,    // dst = a == b ? 1 : 0
  kKeep,     // dst = a != 0 ? b : 0
  kNeg,      // kNeg to kRound: dst = op a
  kExp,
  kLog,
  kSqrt,
  kAbs,
  kTanh,
  kSigmoid,
  kErf,
  kRound,  // to the nearest integer, ties to even
};

/// Names of the values of ScalarOp, for printed programs.
inline constexpr std::array<std::string_view, 20> kScalarOpNames{
    "input", "constant", "add", "subtract", "multiply", "divide", "max",  "min",     "greater", "equal",
    "keep",  "negate",   "exp", "log",      "sqrt",     "abs",    "tanh", "sigmoid", "erf",     "round"};
static_assert(static_cast<std::size_t>(ScalarOp::kRound) + 1 == kScalarOpNames.size());

/// Returns the number of registers that an operation reads: 0, 1 (`a`) or 2 (`a` and `b`).
constexpr int operands(ScalarOp op) {
  if (op <= ScalarOp::kConstant) return 0;
  return op <= ScalarOp::kKeep ? 2 : 1;
}

/// One scalar instruction. `dst`, `a` and `b` are register numbers, but `a` of kInput is the number of an input.
struct ScalarInstruction {
  ScalarOp op;
  std::int16_t dst = 0, a = 0, b = 0;
  float value = 0;
  bool operator==(const ScalarInstruction&) const = default;
};

/// A straight-line scalar program that runs for every element of a block of rows. Registers are reused; a backend needs
/// `registers` registers. `outputs[i]` is the register that has output i at the end.
struct ScalarProgram {
  int inputs = 0;
  int registers = 0;
  std::vector<ScalarInstruction> code;
  std::vector<std::int16_t> outputs;
  bool operator==(const ScalarProgram&) const = default;
};

}  // namespace cavs::inline v0_1
