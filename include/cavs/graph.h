#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cavs {

/// The names that a set of graphs uses. Index ports carry one integer per vertex (word, label; -1 is absent), float
/// ports `width` numbers per vertex.
struct GraphSchema {
  struct FloatPort {
    std::string name;
    std::int32_t width = 0;
    bool operator==(const FloatPort&) const = default;
  };
  std::vector<std::string> types{};
  std::vector<std::string> index_ports{};
  std::vector<FloatPort> float_ports{};
  bool connected = false;  // made for a network's vertex functions (network_builder)
  bool operator==(const GraphSchema&) const = default;
};

/// The schema of every tree: types "leaf" and "inner"; index ports "word" and "label".
GraphSchema tree_schema();

/// Upper limits of one graph. Exceeding one is a UserError.
struct GraphLimits {
  std::int64_t vertices = 50'000'000;  // of one graph
  std::int64_t edges = 200'000'000;    // of one graph
  std::int32_t depth = 20'000'000;     // vertices on the longest path
  std::int32_t arity = 1'000'000;      // child slots of one vertex
};

/// One input graph as a caller builds it. Vertices may come in any order; a vertex may have several parents.
struct InputGraph {
  std::vector<std::int32_t> types = {};                       // [V], into GraphSchema::types
  std::vector<std::int32_t> child_offsets = {};               // [V + 1], from 0
  std::vector<std::int32_t> children = {};                    // vertices of this graph; -1 is an absent child
  std::vector<std::vector<std::int32_t>> index_pulls = {};    // [index ports][V]; -1 is absent
  std::vector<std::vector<float>> float_pulls = {};           // [float ports][V * width]
  std::vector<std::vector<std::uint8_t>> float_present = {};  // [float ports][V], or empty where every vertex has a row
};

/// A data set: the arrays of all its graphs one after the other, checked once on entry, with what depends on one
/// graph alone (parents, levels) computed once. Immutable but for add(); reading is thread-safe.
class GraphSet {
 public:
  /// @throws UserError if a name is empty or stands twice, or a float port has no width.
  explicit GraphSet(GraphSchema schema = {}, GraphLimits limits = {});

  /// Checks and appends a graph. `where` (say "trees.txt:17") starts every error message. The numbers of an absent
  /// float row are not read and become zeros; float_present may be empty as a whole.
  /// @throws UserError on no vertex, a cycle (names it, from child to parent), an id out of range, sizes that disagree,
  /// a number that is not finite, or an exceeded limit; the set is then unchanged. Cost: linear in vertices + edges. No
  /// recursion: depth is bounded by the limits alone.
  void add(const InputGraph& graph, const std::string& where = "graph");

  std::int32_t size() const { return static_cast<std::int32_t>(vertex_begin.size()) - 1; }
  std::int64_t vertices() const { return vertex_begin.back(); }
  /// Child slots, absent children included; parents.size() is the number of edges that are present.
  std::int64_t edges() const { return static_cast<std::int64_t>(children.size()); }

  const GraphSchema& schema() const { return schema_; }
  const GraphLimits& limits() const { return limits_; }

  // Flat arrays. Sample s has vertices [vertex_begin[s], vertex_begin[s+1]); ids inside a sample are local (from 0).
  std::vector<std::int64_t> vertex_begin{0};  // [samples + 1]
  std::vector<std::int32_t> types;            // [V]
  std::vector<std::int64_t> child_begin{0};   // [V + 1], slots
  std::vector<std::int32_t> children;         // [slots], local ids; -1 is absent
  std::vector<std::int64_t> parent_begin{0};  // [V + 1]
  std::vector<std::int32_t> parents;          // local ids, ascending (parent, slot); a child listed twice stands twice
  std::vector<std::int32_t> levels;           // [V]: 0 for a leaf, else 1 + the largest level of a child
  std::vector<std::vector<std::int32_t>> index_pulls;    // [index ports][V]
  std::vector<std::vector<float>> float_pulls;           // [float ports][V * width]
  std::vector<std::vector<std::uint8_t>> float_present;  // [float ports][V], 0 or 1

 private:
  void reserve_for(const InputGraph& graph, std::size_t parents_more);
  void append_pulls(const InputGraph& graph);

  GraphSchema schema_;
  GraphLimits limits_;
};

/// Graphs written as text, for tests and documents: "0>2 1>2 | 3>4" is two trees, child>parent; "5" alone is a vertex
/// without edges. Numbers are global and become local ids in ascending order; every vertex has type 0 of {"vertex"}.
/// A parent's children are in the order in which its edges are written.
/// @throws UserError naming the graph and what is wrong with it.
GraphSet graphs_from_text(const std::string& text);

/// What a set of graphs looks like, in numbers. Edges are those that are present; depth is the number of edges on the
/// longest path of a sample; a root has no parent, a leaf no child.
struct GraphStatistics {
  std::int64_t samples = 0, vertices = 0, edges = 0, roots = 0, leaves = 0;
  std::int64_t smallest = 0, largest = 0;  // vertices of a sample
  std::int32_t max_depth = 0;
  double mean_depth = 0;       // of the samples
  std::int64_t max_arity = 0;  // child slots of a vertex
  double mean_arity = 0;       // of the vertices with children
  bool operator==(const GraphStatistics&) const = default;
};

/// Cost: linear in vertices.
GraphStatistics statistics(const GraphSet& graphs);

/// One "name value" line each, for people.
std::string to_string(const GraphStatistics& statistics);

}  // namespace cavs
