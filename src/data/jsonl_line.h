#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"

namespace cavs {

/// One line as written: names still as text, ports in the order of the line.
struct JsonlLine {
  struct Port {
    enum class Kind { kUnknown, kIndex, kFloat };  // unknown: nothing but nulls
    std::string name;
    Kind kind = Kind::kUnknown;
    std::int32_t width = 0;             // numbers of a float row; 0 while all rows are null
    std::vector<std::int32_t> indices;  // kIndex: [V]
    std::vector<float> rows;            // kFloat: the rows that are present, one after the other
    std::vector<std::uint8_t> present;  // kFloat, kUnknown: [V]
  };
  std::int64_t line = 0;
  bool has_types = false, has_children = false, has_label = false;
  std::vector<std::string> types;
  std::vector<std::int32_t> child_offsets{0}, children, label;
  std::vector<Port> ports;
};

/// Parses one line. Memory is bounded by the line's length; nesting deeper than the schema is an error at once.
/// @throws UserError that starts with `where`.
JsonlLine parse_jsonl_line(std::string_view text, const std::string& where);

}  // namespace cavs
