#pragma once

#include <xbyak/xbyak.h>

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/jit/vector_program.h"

namespace cavs::cpu {

/// The argument of generated code: one row of each input and of each output.
struct LoopArguments {
  const float* const* in;  // [inputs]: address of the row
  float* const* out;       // [outputs]: address of the row
  std::int64_t bytes;      // bytes of a row of an output
};
using LoopFunction = void (*)(const LoopArguments*);

/// Writes the machine code of a loop over the columns of a row: first several vectors at a time, then single vectors,
/// then a masked vector for the rest. Values are in registers. If no register is free, the value whose next use is
/// farthest away loses its register (Belady's rule). It is stored on the stack; a constant or an input is not, because
/// it can be read again. Every output is stored as soon as it is computed, so no output may overlap an input.
class LoopGenerator : public Xbyak::CodeGenerator {
 public:
  /// @param broadcast  [inputs]: true if the input has one number for all columns
  /// @param lanes  8 for AVX2, 16 for AVX-512   @param copies  number of vectors that one iteration computes
  /// @throws Xbyak::Error if there is no memory for code, or too many values or too much code.
  LoopGenerator(const VectorProgram& program, const std::vector<bool>& broadcast, int lanes, int copies);

  LoopFunction function() const { return getCode<LoopFunction>(); }

 private:
  static constexpr int kNone = -1, kNever = 1 << 30;

  /// Where a value is, at the instruction that is being emitted: in a register, in a slot on the stack, or in both.
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
  /// Returns the number of the next instruction that reads `value`; kNever if none does.
  int next_use(int value) const;
  bool dies(int value) const { return next_use(value) == kNever; }

  /// Returns a register that contains the value, and is pinned until the instruction is done.
  int in_register(int value);
  /// Returns the value as an instruction's last source, which may be in memory: its register, or a constant's address.
  const Xbyak::Operand& operand(int value);
  /// Returns a register for the result of instruction `id`: that of the value `dying` if no later instruction reads it.
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
  int registers_;                          // number of registers that emit_body() may use for values
  bool tail_ = false;                      // true while the code for the masked rest of a row is emitted
  int now_ = 0;                            // number of the instruction that is being emitted
  int slots_ = 0;                          // slots on the stack in use
  std::vector<std::vector<int>> uses_;     // [values]: numbers of the instructions that read the value, ascending
  std::vector<std::vector<int>> outputs_;  // [values]: numbers of the outputs that are the value
  std::vector<Place> places_;              // [values]
  std::vector<int> held_;                  // [registers]: the value in the register; kNone if it is free
  std::vector<char> pinned_;     // [registers]: 1 if the current instruction uses the register, so that it must keep it
  std::vector<int> constants_;   // [values]: position among the constants; kNone if the value is not a constant
  Xbyak::Label pool_;            // address of the zeros that come before the constants
  Xbyak::Xmm operand_register_;  // what operand() returned last
  Xbyak::Address operand_address_;
};

}  // namespace cavs::cpu
