#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tensor/scalar_program.h"

namespace cavs::cpu {

/// What one machine instruction does with whole vectors. Masks are vectors of all ones or all zeros a lane.
enum class VectorOp : std::uint8_t {
  kInput,     // input number `immediate`
  kConstant,  // the bits `immediate` in every lane
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMultiplyAdd,  // a * b + c, rounded once
  kSqrt,
  kSmallest,  // a < b ? a : b, so b where either is NaN
  kLargest,   // a > b ? a : b
  kLess,
  kGreater,
  kEqual,
  kNotEqual,  // true where either is NaN
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

/// Values are numbered by the instruction that computes them; -1: no operand.
struct VectorInstruction {
  VectorOp op;
  int a = -1, b = -1, c = -1;
  std::uint32_t immediate = 0;
  int copy = 0;  // of the input: which of the vectors that a body computes side by side
};

/// A straight-line program over vectors, in single assignment.
struct VectorProgram {
  std::vector<VectorInstruction> code;
  std::vector<int> outputs;  // values
};

/// The same numbers as the interpreter's loops, to the bit: both instantiate vec_math.h.
VectorProgram to_vector_program(const ScalarProgram& program);

/// The program on `copies` vectors, their instructions in turn, so that the processor has several chains of
/// instructions to choose from. Constants and inputs that are one number for all columns are there once. Output o of
/// copy c is number c * outputs + o.
VectorProgram side_by_side(const VectorProgram& program, const std::vector<bool>& broadcast, int copies);

/// Appends instructions; equal constants are one value.
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
