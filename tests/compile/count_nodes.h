#pragma once

#include <string_view>

#include "compile/program.h"

namespace cavs {

/// Number of nodes with this operator.
inline int count(const Function& function, std::string_view op) {
  int n = 0;
  for (const Node& node : function.nodes) n += node.op->name == op;
  return n;
}

inline int count(const Program& program, std::string_view op) { return count(program.types[0].function, op); }

}  // namespace cavs
