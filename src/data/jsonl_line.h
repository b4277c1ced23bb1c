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

/// Names that are written in place of numbers, by port. The names of port "label" are classes.
using PortNames = std::map<std::string, NameTable, std::less<>>;

/// One parsed line, with types as text and ports in the order of the line. A port has a row per vertex.
struct JsonlLine {
  struct Port {
    // kUnknown: only nulls. kNone: only -1 and nulls, so an index port. kName: `indices` are numbers in PortNames.
    enum class Kind : std::uint8_t { kUnknown, kNone, kIndex, kName, kFloat };
    std::string name;
    Kind kind = Kind::kUnknown;
    std::int32_t width = 0;                  // size of a float row
    std::vector<std::int32_t> indices = {};  // [rows], empty for kFloat; -1 means absent
    std::vector<float> rows = {};            // kFloat: the numbers of the present rows
    std::vector<std::uint8_t> present = {};  // kFloat: [rows]
    std::vector<std::int32_t> ends = {};     // edge ports: [vertices] end of the rows of each vertex

    std::size_t size() const { return kind == Kind::kFloat ? present.size() : indices.size(); }
  };
  std::int64_t line = 0;
  bool has_types = false, has_children = false, has_label = false;
  std::vector<std::string> types;
  std::vector<std::int64_t> child_offsets{0};
  std::vector<std::int32_t> children;
  Port label{.name = "label"};
  std::vector<Port> ports;
  std::vector<Port> edge_ports;  // with a row per child slot
};

/// Parses one line, and adds its names to `names`. Memory is bounded by the length of the line. Nesting deeper than the
/// format allows is reported at once.
/// @throws UserError that starts with `where`.
JsonlLine parse_jsonl_line(std::string_view text, const std::string& where, PortNames& names);

}  // namespace cavs::inline v0_1
