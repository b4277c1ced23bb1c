#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::cuda::ptx {

/// The text of an instruction.
struct Statement {
  std::string guard;  // predicate: "%p1" for "@%p1" and "@!%p1"; empty without a guard
  bool negated = false;
  std::string opcode;                 // with all modifiers, such as "ld.global.nc.u32"
  std::vector<std::string> operands;  // without spaces, such as "{%r1,%r2}" or "[%rd1+8]"
  int line = 0;                       // number of the line in the text
  std::string text() const;
};

struct Label {
  std::string name;
  std::size_t at;  // index of the next statement
};

struct RegisterText {
  std::string type;  // such as "b32"
  std::string name;  // such as "%r"
  int count = 0;     // number of registers, such as 8 for "%r<8>"; 0 for a single register with this name
};

/// A variable in .global, .const, .shared or .local memory, or a parameter.
struct Variable {
  std::string space;  // such as "global"
  std::string name;
  std::size_t bytes = 0, alignment = 0;
  bool dynamic = false;                   // .extern .shared x[], whose size the launch sets
  std::vector<unsigned char> contents{};  // initial bytes; further bytes are 0
};

struct EntryText {
  std::string name;
  std::vector<Variable> parameters, variables;
  std::vector<RegisterText> registers;
  std::vector<Statement> statements;
  std::vector<Label> labels;
};

struct ModuleText {
  std::vector<Variable> variables;
  std::vector<EntryText> entries;
};

/// Parses PTX as printed by NVRTC. @throws Fault (kSyntax) with the line
ModuleText parse(std::string_view ptx);

/// Returns the parts of "a, b" between commas outside of brackets, without spaces.
std::vector<std::string> split_operands(std::string_view text);

/// Returns the bytes of a number of this type, such as 4 for "b32"; 0 for "pred".
std::size_t type_bytes(std::string_view type);

}  // namespace cavs::cuda::ptx
