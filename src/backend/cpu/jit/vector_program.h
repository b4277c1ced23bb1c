#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tensor/scalar_program.h"

namespace cavs::cpu {

/// A machine instruction on whole vectors. Masks are vectors whose lanes are all ones or all zeros.
enum class VectorOp : std::uint8_t {
  kInput,     // input number `immediate`
  kConstant,  // the bits `immediate` in every lane
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMultiplyAdd,  // a * b + c, rounded once
  kSqrt,
  kSmallest,  // a < b ? a : b; therefore b if either is NaN
  kLargest,   // a > b ? a : b
  kLess,
  kGreater,
  kEqual,
  kNotEqual,  // true if either is NaN
  kSelect,    // a ? b : c
  kAnd,
  kOr,
  kXor,
  kAddInts,
  kSubInts,
  kShiftLeft,   // by `immediate`
  kShiftRight,  // by `immediate`, keeping the sign
  kToFloats,
};

/// Operands are numbers of instructions, which compute one value each; -1 means no operand.
struct VectorInstruction {
  VectorOp op;
  int a = -1, b = -1, c = -1;
  std::uint32_t immediate = 0;
  int copy = 0;  // for inputs: which of the vectors side by side
};

/// A straight-line program over vectors, in SSA form.
struct VectorProgram {
  std::vector<VectorInstruction> code;
  std::vector<int> outputs;  // values
};

/// Converts a program. Results have the same bits as the interpreter's loops, because both instantiate vec_math.h.
VectorProgram to_vector_program(const ScalarProgram& program);

/// Makes a program for `copies` vectors whose instructions alternate, so that the processor has several chains to
/// choose from. Constants and inputs that are one number for all columns exist once. Output o of copy c has number c *
/// outputs + o.
VectorProgram side_by_side(const VectorProgram& program, const std::vector<bool>& broadcast, int copies);

/// Appends instructions. Equal constants become one value.
class VectorProgramBuilder {
 public:
  int emit(VectorOp op, int a = -1, int b = -1, int c = -1, std::uint32_t immediate = 0);
  int constant(std::uint32_t bits);
  VectorProgram finish(std::span<const int> outputs) &&;

 private:
  VectorProgram program_;
  std::map<std::uint32_t, int> constants_;
};

}  // namespace cavs::cpu
