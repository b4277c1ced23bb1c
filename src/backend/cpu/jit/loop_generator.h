#pragma once

#include <xbyak/xbyak.h>

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/jit/vector_program.h"

namespace cavs::cpu {

/// The argument of generated code: a row of each input and output.
struct LoopArguments {
  const float* const* in;
  float* const* out;
  std::int64_t bytes;  // number of bytes in a row of an output
};
using LoopFunction = void (*)(const LoopArguments*);

/// Writes the machine code of a loop over the columns of a row: first several vectors at a time, then single vectors,
/// then a masked vector for the rest. Values are in registers. If no register is free, the value whose next use is last
/// is spilled to the stack; constants and inputs are read again instead (Belady's rule, which is exact for
/// straight-line code). Every output is stored as soon as it is computed, so no output may overlap an input.
class LoopGenerator : public Xbyak::CodeGenerator {
 public:
  /// @param broadcast  true for inputs that are one number for all columns
  /// @param lanes  8 for AVX2, 16 for AVX-512   @param copies  number of vectors at a time
  /// @throws Xbyak::Error if there is no memory for code, or too many values or too much code.
  LoopGenerator(const VectorProgram& program, const std::vector<bool>& broadcast, int lanes, int copies);

  LoopFunction function() const { return getCode<LoopFunction>(); }

 private:
  static constexpr int kNone = -1, kNever = 1 << 30;

  /// Location of a value while the code runs.
  struct Place {
    int reg = kNone, slot = kNone;
  };

  /// Sets the program that the next calls of emit_body() translate.
  void begin(const VectorProgram& program);
  void emit_loop(const VectorProgram& program, int copies);
  void emit_body(bool tail);
  void emit_instruction(int id);
  void emit_binary(int id);
  void emit_shift(int id);
  void emit_multiply_add(int id);
  void emit_compare(int id);
  void emit_select(int id);
  void emit_store(int output, int reg);
  void emit_tail_mask();
  void emit_constants();

  bool is_constant(int value) const { return program_->code[value].op == VectorOp::kConstant; }
  bool is_input(int value) const { return program_->code[value].op == VectorOp::kInput; }
  /// Returns the next instruction that reads `value`.
  int next_use(int value) const;
  bool dies(int value) const { return next_use(value) == kNever; }

  /// Returns a register that contains the value, and is pinned until the instruction is done.
  int in_register(int value);
  /// Returns the value in the form of a second source: its register, or a constant in memory.
  const Xbyak::Operand& operand(int value);
  /// Returns a register for the result of instruction `id`: the register of `dying` if this is its last use.
  int result(int id, int dying = kNone);
  void assign(int value, int reg);
  int take_register();
  void load(int value, int reg);
  void release_dead(int id);

  Xbyak::Xmm vector(int reg) const;
  Xbyak::Address constant_address(int value) const;
  Xbyak::Address slot_address(int slot) const;

  const VectorProgram* program_ = nullptr;  // the program that is being translated
  const std::vector<bool>& broadcast_;
  const int lanes_, vector_bytes_, output_count_;
  int registers_;  // number of registers that the current program may use
  bool tail_ = false;
  int now_ = 0;
  int slots_ = 0;
  std::vector<std::vector<int>> uses_;     // by value: instructions that read the value, ascending
  std::vector<std::vector<int>> outputs_;  // by value: numbers of the outputs that have the value
  std::vector<Place> places_;
  std::vector<int> held_;  // by register: the value that it contains
  std::vector<char> pinned_;
  std::vector<int> constants_;  // by value: number among the constants
  Xbyak::Label pool_;
  Xbyak::Xmm operand_register_;
  Xbyak::Address operand_address_;
};

}  // namespace cavs::cpu
