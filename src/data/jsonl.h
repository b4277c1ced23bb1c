#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"
#include "cavs/vocabulary.h"
#include "data/jsonl_line.h"

namespace cavs::inline v0_1 {

/// The known names, in which names in lines are looked up. A null pointer means that there are no such names.
struct KnownNames {
  const Vocabulary* words = nullptr;
  const std::vector<std::string>* class_names = nullptr;
  const PortWords* ports = nullptr;  // names of all other index ports of vertices
  const EdgeNames* edges = nullptr;  // names of index ports of edges
};

/// Parses one graph of a known schema. `number` is its line in `name`. GraphSet::add checks the limits.
/// @throws UserError that starts with "name:number".
InputGraph parse_jsonl_graph(std::string_view text, const std::string& name, std::int64_t number,
                             const GraphSchema& schema, const KnownNames& known);

/// All parsed lines of a text.
class JsonlText {
 public:
  /// @throws UserError that starts with "name:line".
  JsonlText(std::string_view text, std::string name);

  /// Returns the names of a port; null if the port has numbers or does not exist.
  const NameTable* names(std::string_view port) const;
  /// @throws UserError if a port has names in one text and numbers in the other.
  void expect_same_kinds(const JsonlText& other) const;
  /// Returns the schema of all lines; see parse_jsonl.
  GraphSchema schema() const;
  /// Converts the first `limit` lines (all if it is 0) to graphs, and frees the lines, so it can be called only once.
  /// @throws UserError as the constructor.
  GraphSet to_graphs(const GraphSchema& schema, const KnownNames& known, const GraphLimits& limits,
                     std::int64_t limit = 0);

 private:
  /// The form in which values of a port are written (numbers or names), and the first line that has a value.
  struct Written {
    bool names = false;
    std::int64_t line = 0;
  };
  void note_kind(const JsonlLine::Port& port, std::int64_t line);

  std::string name_;
  std::vector<JsonlLine> lines_;
  PortNames names_;
  std::map<std::string, Written, std::less<>> written_;
};

}  // namespace cavs::inline v0_1
