#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"
#include "data/name_table.h"

namespace cavs::inline v0_1 {

/// The names that stand in place of numbers, by port; those of "label" are classes.
using PortNames = std::map<std::string, NameTable, std::less<>>;

/// One line as written: types still as text, ports in the order of the line.
struct JsonlLine {
  struct Port {
    // Unknown: nothing but nulls; none: nothing but -1 and nulls, of an index port; name: indices are those of
    // PortNames.
    enum class Kind : std::uint8_t { kUnknown, kNone, kIndex, kName, kFloat };
    std::string name;
    Kind kind = Kind::kUnknown;
    std::int32_t width = 0;                  // numbers of a float row
    std::vector<std::int32_t> indices = {};  // [V], but for kFloat; -1 is absent
    std::vector<float> rows = {};            // kFloat: the rows that are present, one after the other
    std::vector<std::uint8_t> present = {};  // kFloat: [V]
    std::vector<std::int32_t> ends = {};     // of edges: [V], where the entries of a vertex end

    std::size_t size() const { return kind == Kind::kFloat ? present.size() : indices.size(); }
  };
  std::int64_t line = 0;
  bool has_types = false, has_children = false, has_label = false;
  std::vector<std::string> types;
  std::vector<std::int64_t> child_offsets{0};
  std::vector<std::int32_t> children;
  Port label{.name = "label"};
  std::vector<Port> ports;
  std::vector<Port> edge_ports;  // their entries are those of child slots
};

/// Parses one line, and adds its names to those of its ports. Memory is bounded by the line's length; nesting deeper
/// than the schema is an error at once.
/// @throws UserError that starts with `where`.
JsonlLine parse_jsonl_line(std::string_view text, const std::string& where, PortNames& names);

}  // namespace cavs::inline v0_1
