#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tensor/scalar_program.h"

namespace cavs::cpu {

/// A machine instruction on vectors a, b and c. A comparison sets all bits of a lane to 1 (true) or 0 (false).
enum class VectorOp : std::uint8_t {
  kInput,     // input with the number `immediate`
  kConstant,  // the float whose bits are `immediate`, in every lane
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMultiplyAdd,  // a * b + c, rounded once
  kSqrt,
  kSmallest,  // a < b ? a : b, which is b if either is NaN
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
  kShiftRight,  // by `immediate`; copies of the sign bit are shifted in
  kToFloats,    // integers to floats
};

/// An instruction, which computes one value. An operand is the number of the instruction that computes it; -1 if none.
struct VectorInstruction {
  VectorOp op;
  int a = -1, b = -1, c = -1;
  std::uint32_t immediate = 0;
  int copy = 0;  // see side_by_side(): the copy that this instruction belongs to
};

/// A straight-line program on vectors, in SSA form (each value is assigned once).
struct VectorProgram {
  std::vector<VectorInstruction> code;
  std::vector<int> outputs;  // [outputs]: number of the instruction that computes the output
};

/// Converts a scalar program. Results are bit-identical to elementwise(), because both instantiate vec_math.h.
VectorProgram to_vector_program(const ScalarProgram& program);

/// Returns a program that computes `program` for `copies` neighbouring vectors. The instructions of the copies
/// alternate, so that the processor can execute several independent chains. Constants and broadcast inputs occur once.
/// Output o of copy c has number c * outputs + o.
VectorProgram side_by_side(const VectorProgram& program, const std::vector<bool>& broadcast, int copies);

/// Builds a program. emit() and constant() return the number of the value. Equal constants become one value.
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
