#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"
#include "cavs/vocabulary.h"
#include "data/jsonl_line.h"

namespace cavs::inline v0_1 {

/// What the names in lines stand for. Null: there is nothing that they could stand for.
struct KnownNames {
  const Vocabulary* words = nullptr;
  const std::vector<std::string>* tags = nullptr;
  const PortWords* ports = nullptr;  // of all other index ports of vertices
  const EdgeNames* edges = nullptr;  // of index ports of edges
};

/// One graph of a schema that is known; `number` is its line in `name`. Limits are left to GraphSet::add.
/// @throws UserError that starts with "name:number".
InputGraph parse_jsonl_graph(std::string_view text, const std::string& name, std::int64_t number,
                             const GraphSchema& schema, const KnownNames& known);

/// All lines of a text as they are written.
class JsonlText {
 public:
  /// @throws UserError that starts with "name:line" and the number of the line.
  JsonlText(std::string_view text, std::string name);

  /// The names that stand at a port; null where it has numbers, or is no port.
  const NameTable* names(std::string_view port) const;
  /// @throws UserError where a port has names here and numbers there.
  void expect_same_kinds(const JsonlText& other) const;
  /// Of all lines; see parse_jsonl.
  GraphSchema schema() const;
  /// The first graphs (0: all), which gives the memory of the lines back: to be called once. @throws UserError as
  /// above.
  GraphSet to_graphs(const GraphSchema& schema, const KnownNames& known, const GraphLimits& limits,
                     std::int64_t limit = 0);

 private:
  /// How the values of a port are written, and the first line that says so.
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
