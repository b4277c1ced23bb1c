#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/ptx/fault.h"
#include "cuda/ptx/module.h"

namespace cavs::cuda::ptx {

/// Makes a Kernel from the text of an entry.
class Decoder {
 public:
  Decoder(const Module& module, const EntryText& entry);
  Kernel decode();

  // These functions add operands to an instruction. Add the operands that it writes before those that it reads.
  void writes(Instruction& i, const std::string& operand, std::size_t bytes);
  void reads(Instruction& i, const std::string& operand, std::size_t bytes);
  /// Adds an operand that is a register, or the address of a variable or parameter.
  void reads_address(Instruction& i, const std::string& operand, std::size_t bytes);
  /// Returns the declared number of bytes of a register; 0 for a constant.
  std::size_t bytes_of(const std::string& operand) const;
  [[noreturn]] static void unknown(const Statement& s) {
    fault(FaultKind::kUnknownInstruction, "PTX, line {}: unknown instruction {}", s.line, s.text());
  }
  [[noreturn]] static void wrong(const Statement& s, std::string_view what) {
    fault(FaultKind::kSyntax, "PTX, line {}: {}: {}", s.line, s.text(), what);
  }

 private:
  struct Register {
    Operand at;
    std::size_t bytes = 0;  // of one lane; 0 for a predicate
  };

  void declare();
  void place_variables();
  Instruction instruction(const Statement& s);
  bool move_address(const Statement& s, Instruction& i);
  Operand allocate(const std::string& name, std::size_t bytes);
  Register& find_register(const std::string& name);
  std::size_t declared_bytes(const std::string& name) const;
  Operand constant(std::uint64_t value, std::size_t bytes);
  Operand special(const std::string& name);
  /// Finds the address of a variable or parameter in its space.
  bool address_of(std::string_view name, std::uint64_t& value) const;

  const Module& module_;
  const EntryText& entry_;
  Kernel kernel_;
  std::map<std::string, std::size_t> types_, single_types_;  // bytes of registers, by prefix and by name
  std::map<std::string, Register> registers_;
  std::map<std::pair<std::uint64_t, std::size_t>, Operand> constants_;
  std::map<std::string, Operand> specials_;
  std::map<std::string, std::size_t, std::less<>> parameters_;  // name -> offset in bytes, which is the address
  const Statement* statement_ = nullptr;
};

/// Each of these functions decodes one family of instructions, and returns false for any other instruction.
bool decode_access(Decoder& decoder, const Statement& s, Instruction& i);
bool decode_collective(Decoder& decoder, const Statement& s, Instruction& i);

/// Returns the parts of "a.b.c".
std::vector<std::string> split_name(std::string_view opcode);

}  // namespace cavs::cuda::ptx
