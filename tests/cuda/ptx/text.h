#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::cuda::ptx {

/// An instruction as it is written.
struct Statement {
  std::string guard;  // "%p1" of "@%p1" and "@!%p1"
  bool negated = false;
  std::string opcode;                 // with all its modifiers: "ld.global.nc.u32"
  std::vector<std::string> operands;  // without spaces: "{%r1,%r2}", "[%rd1+8]"
  int line = 0;                       // of the text
  std::string text() const;
};

struct Label {
  std::string name;
  std::size_t at;  // statement before which it stands
};

struct RegisterText {
  std::string type;  // "b32"
  std::string name;  // "%r"
  int count = 0;     // "%r<8>": 8; 0: one register of this very name
};

/// Of .global, .const, .shared or .local memory, or a parameter.
struct Variable {
  std::string space;  // "global"
  std::string name;
  std::size_t bytes = 0, alignment = 0;
  bool dynamic = false;                   // .extern .shared x[]: as large as the launch says
  std::vector<unsigned char> contents{};  // what it begins with; others are 0
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

/// Of PTX as NVRTC prints it. @throws Fault (kSyntax) with the line
ModuleText parse(std::string_view ptx);

/// "a, b" at the commas that are in no bracket; without spaces.
std::vector<std::string> split_operands(std::string_view text);

/// Bytes of a number of this type: "b32" 4. 0: "pred".
std::size_t type_bytes(std::string_view type);

}  // namespace cavs::cuda::ptx
