#pragma once

#include <cstdint>
#include <vector>

namespace cavs {

/// The scalar operations that every element-wise operator is made of. Each backend implements this list once.
enum class ScalarOp : std::uint8_t {
  kInput,     // dst = input[a]
  kConstant,  // dst = value
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,      // dst = a op b
  kGreater,  // dst = a > b ? 1 : 0
  kEqual,    // dst = a == b ? 1 : 0
  kNeg,
  kExp,
  kLog,
  kSqrt,
  kAbs,
  kTanh,
  kSigmoid,
  kErf,  // dst = op a
};

/// One scalar instruction: registers are small integers.
struct ScalarInstruction {
  ScalarOp op;
  std::int16_t dst = 0, a = 0, b = 0;
  float value = 0;
};

/// A straight-line scalar program, run for every element of a block of rows. Registers are reused: a backend needs
/// `registers` of them at once. `outputs[i]` is the register that holds output i when the program ends.
struct ScalarProgram {
  int inputs = 0;
  int registers = 0;
  std::vector<ScalarInstruction> code;
  std::vector<std::int16_t> outputs;
};

}  // namespace cavs
