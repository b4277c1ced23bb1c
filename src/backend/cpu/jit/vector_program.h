#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tensor/scalar_program.h"

namespace cavs::cpu {

/// A machine instruction on whole vectors. In a mask, each lane is all ones (true) or all zeros (false).
enum class VectorOp : std::uint8_t {
  kInput,     // input with the number `immediate`
  kConstant,  // the number with the bits `immediate` in every lane
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMultiplyAdd,  // a * b + c, rounded once
  kSqrt,
  kSmallest,  // a < b ? a : b, and so b if either is NaN
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

/// An instruction, which computes one value. Operands are numbers of instructions; -1 means none.
struct VectorInstruction {
  VectorOp op;
  int a = -1, b = -1, c = -1;
  std::uint32_t immediate = 0;
  int copy = 0;  // for inputs: number of the vector, if several are computed at a time
};

/// A straight-line program on vectors, in SSA form (each value is assigned once).
struct VectorProgram {
  std::vector<VectorInstruction> code;
  std::vector<int> outputs;  // numbers of the values
};

/// Converts a program. Results are bit-identical to the interpreter's loops, because both instantiate vec_math.h.
VectorProgram to_vector_program(const ScalarProgram& program);

/// Returns a program that computes `copies` vectors. Their instructions alternate, so that the processor can execute
/// several independent chains. Constants, and inputs that are one number for all columns, occur once. Output o of copy
/// c has number c * outputs + o.
VectorProgram side_by_side(const VectorProgram& program, const std::vector<bool>& broadcast, int copies);

/// Appends instructions to a program. Equal constants become one value.
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
