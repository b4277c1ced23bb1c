#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cavs/model.h"
#include "cavs/version.h"

namespace cavs::inline v0_1::detail {
class GraphSetEditor;
}

namespace cavs {
inline namespace CAVS_API v0_1 {

/// The names that a set of graphs uses. An index port has one integer per vertex (a word, a label; -1 is absent), a
/// float port `width` numbers per vertex; ports of edges have them per edge: a vertex and one of its children. All
/// ports of a schema have different names.
struct GraphSchema {
  struct FloatPort {
    std::string name;
    std::int32_t width = 0;
    bool operator==(const FloatPort&) const = default;
  };
  std::vector<std::string> types{};
  std::vector<std::string> index_ports{};
  std::vector<FloatPort> float_ports{};
  std::vector<std::string> edge_index_ports{};
  std::vector<FloatPort> edge_float_ports{};
  bool connected = false;  // whether the graphs were made for a network's vertex functions (network_builder)
  bool operator==(const GraphSchema&) const = default;
};

/// The schema of every tree: types "leaf" and "inner"; index ports "word" and "label".
GraphSchema tree_schema();

/// What the numbers of index ports of edges are called, by port: the name of number i stands at i.
using EdgeNames = std::map<std::string, std::vector<std::string>>;

/// Maximum sizes of a graph. A graph that exceeds one is refused with a UserError.
struct GraphLimits {
  std::int64_t vertices = 50'000'000;
  std::int64_t edges = 200'000'000;  // child slots, absent children included
  std::int32_t depth = 20'000'000;   // vertices on the longest path
  std::int32_t arity = 1'000'000;    // child slots of one vertex
};

/// Graphs in flat arrays, one after the other: V vertices in all. An `Array<T>` is a sequence of T. Ids inside a sample
/// are local (from 0). Vertices of a sample may come in any order; a vertex may have several parents.
template <template <typename> typename Array>
struct BasicGraphArrays {
  template <typename T>
  using Ports = std::vector<Array<T>>;

  Array<std::int64_t> sample_begin = {};   // [samples + 1], from 0: sample s has vertices [sample_begin[s],
                                           // sample_begin[s + 1])
  Array<std::int32_t> types = {};          // [V], into GraphSchema::types
  Array<std::int64_t> child_offsets = {};  // [V + 1], from 0: vertex v has child slots [child_offsets[v],
                                           // child_offsets[v + 1])
  Array<std::int32_t> children = {};       // [slots], local ids; -1 is an absent child
  Ports<std::int32_t> index_pulls = {};    // [index ports][V]; -1 is absent
  Ports<float> float_pulls = {};           // [float ports][V * width]
  Ports<std::uint8_t> float_present = {};  // [float ports][V], or empty where every vertex has a row
  // The same of edges, in the order of `children`. At the slot of an absent child an index is -1, and numbers are not
  // read. edge_float_present: [edge float ports][slots], or empty where every edge has a row.
  Ports<std::int32_t> edge_index_pulls = {};  // [edge index ports][slots]
  Ports<float> edge_float_pulls = {};         // [edge float ports][slots * width]
  Ports<std::uint8_t> edge_float_present = {};
};

namespace detail {

/// An array that the set owns, or one in the caller's memory, which is never written.
template <typename T>
class FlatArray {
 public:
  FlatArray() = default;
  explicit FlatArray(std::vector<T> own) : own_(std::move(own)) {}
  explicit FlatArray(std::span<const T> kept) : kept_(kept) {}

  std::span<const T> view() const { return kept_.data() == nullptr ? std::span<const T>(own_) : kept_; }
  /// The array, to be written; one in the caller's memory is copied first.
  std::vector<T>& own() {
    if (kept_.data() != nullptr) own_.assign(kept_.begin(), kept_.end()), kept_ = {};
    return own_;
  }

 private:
  std::vector<T> own_;
  std::span<const T> kept_;
};

template <typename T>
using OwnArray = std::vector<T>;
template <typename T>
using ArrayView = std::span<const T>;

}  // namespace detail

/// Arrays with memory of their own.
using GraphArrays = BasicGraphArrays<detail::OwnArray>;
/// The arrays of one graph; sample_begin is not read.
using InputGraph = GraphArrays;
/// Arrays in memory that the caller owns.
using GraphArraysView = BasicGraphArrays<detail::ArrayView>;
/// A view of the arrays, which must outlive it and not change.
GraphArraysView view_of(const GraphArrays& arrays);

/// A data set: the arrays of all its graphs, one after the other. They are checked once, when they come in, and what
/// depends on one graph alone (parents, levels) is computed once. Only add() changes a set; reading is thread-safe.
class GraphSet {
 public:
  /// @throws UserError if a name is empty or occurs twice, or the width of a float port is below 1.
  explicit GraphSet(GraphSchema schema = {}, GraphLimits limits = {});

  /// Makes a set of many graphs in one call. Each is checked as by add(); messages start with `where` and the sample.
  /// The set takes over the arrays. @throws UserError as add(), or for arrays whose sizes disagree. Cost: linear in
  /// vertices + edges.
  static GraphSet from_arrays(GraphSchema schema, GraphArrays arrays, GraphLimits limits = {},
                              const std::string& where = "graphs");
  /// The same without a copy: the set reads the caller's arrays where they lie and never writes them. The caller must
  /// keep them alive and unchanged as long as the set or a copy of it exists; they are checked once, here. Numbers of
  /// an absent float row, and at the slot of an absent child, must already be zeros, and float_present 0 or 1 (0 at
  /// such a slot). The set computes and owns parents, levels and float_present of a port that gives none. add() first
  /// copies all arrays.
  static GraphSet over_arrays(GraphSchema schema, const GraphArraysView& arrays, GraphLimits limits = {},
                              const std::string& where = "graphs");
  /// A copy of the arrays that from_arrays would take to make this set.
  GraphArrays to_arrays() const;

  /// Checks and appends a graph. `where` (say "trees.txt:17") starts every error message. The numbers of an absent
  /// float row are not read and become zeros; float_present may be empty as a whole.
  /// @throws UserError on no vertex, a cycle (names it, from child to parent), an id out of range, sizes that disagree,
  /// a number that is not finite, or an exceeded limit; the set is then unchanged. Cost: linear in vertices + edges. No
  /// recursion: depth is bounded by the limits alone.
  void add(const InputGraph& graph, const std::string& where = "graph");

  std::int32_t size() const { return static_cast<std::int32_t>(vertex_begin().size()) - 1; }
  std::int64_t vertices() const { return vertex_begin().back(); }
  /// Child slots, absent children included; parents().size() is the number of edges that are present.
  std::int64_t edges() const { return static_cast<std::int64_t>(children().size()); }

  const GraphSchema& schema() const { return schema_; }
  const GraphLimits& limits() const { return limits_; }

  // Flat arrays; the spans are valid until the next add(). Sample s has vertices [vertex_begin()[s], vertex_begin()[s +
  // 1]); ids inside a sample are local (from 0).

  /// [samples + 1]
  std::span<const std::int64_t> vertex_begin() const { return arrays_.sample_begin.view(); }
  /// [V]
  std::span<const std::int32_t> types() const { return arrays_.types.view(); }
  /// [V + 1]: the child slots of vertex v are children()[child_begin()[v]] up to child_begin()[v + 1]
  std::span<const std::int64_t> child_begin() const { return arrays_.child_offsets.view(); }
  /// [slots], local ids; -1 is absent
  std::span<const std::int32_t> children() const { return arrays_.children.view(); }
  /// [V + 1]
  std::span<const std::int64_t> parent_begin() const { return parent_begin_; }
  /// Local ids, in ascending order of (parent, slot); a parent that lists a child twice is here twice.
  std::span<const std::int32_t> parents() const { return parents_; }
  /// [V]: 0 for a leaf, else 1 + the largest level of a child
  std::span<const std::int32_t> levels() const { return levels_; }
  /// [V]; `port` is the position of the port in the schema; it is not checked, here and below.
  std::span<const std::int32_t> index_pulls(std::size_t port) const { return arrays_.index_pulls[port].view(); }
  /// [V * width]
  std::span<const float> float_pulls(std::size_t port) const { return arrays_.float_pulls[port].view(); }
  /// [V], 0 or 1
  std::span<const std::uint8_t> float_present(std::size_t port) const { return arrays_.float_present[port].view(); }
  /// [slots], in the order of children(); -1 where absent, and at the slot of an absent child
  std::span<const std::int32_t> edge_index_pulls(std::size_t port) const {
    return arrays_.edge_index_pulls[port].view();
  }
  /// [slots * width]; zeros where absent
  std::span<const float> edge_float_pulls(std::size_t port) const { return arrays_.edge_float_pulls[port].view(); }
  /// [slots], 0 or 1; 0 at the slot of an absent child
  std::span<const std::uint8_t> edge_float_present(std::size_t port) const {
    return arrays_.edge_float_present[port].view();
  }

 private:
  friend class detail::GraphSetEditor;

  void derive(const std::string& where);
  void reserve_for(const InputGraph& graph, std::size_t parents_more);

  GraphSchema schema_;
  GraphLimits limits_;
  BasicGraphArrays<detail::FlatArray> arrays_;
  std::vector<std::int64_t> parent_begin_{0};
  std::vector<std::int32_t> parents_, levels_;
};

/// Graphs written as text, for tests and documents: "0>2 1>2 | 3>4" is two trees, with edges child>parent; "5" alone is
/// a vertex without edges. Numbers are global and become local ids in ascending order; every vertex has type 0 of
/// {"vertex"}. A parent's children are in the order in which its edges are written.
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

/// The numbers as text for people, a line "name value" for each.
std::string to_string(const GraphStatistics& statistics);

/// The input graph that a model evaluates for one sample.
struct BuiltGraph {
  InputGraph graph;
  std::vector<std::int32_t> outputs;  // [vertices of the sample]: the vertex that predicts its label; -1: none
};

/// Makes the graphs that a model evaluates from those of the data: other types of vertices, additional vertices and
/// edges. A pure function of one sample. Each named builder is one file and one line in the list.
struct GraphBuilder {
  std::string name;
  std::string doc;
  GraphSchema source;  // of the graphs that it takes
  GraphSchema target;  // of the graphs that it makes
  std::function<BuiltGraph(const InputGraph& sample)> build;
};

std::span<const GraphBuilder> all_graph_builders();
/// @throws UserError with a suggestion if there is none.
const GraphBuilder& find_graph_builder(std::string_view name);

/// Makes the graphs that a network (Model::connect) evaluates from graphs of the schema `source`. For each vertex
/// function in turn, it makes a vertex over each vertex of the data that the function runs over. The children of such a
/// vertex are, in this order: one for each connected pull; then, for each child in the data (in reverse: parent), the
/// vertex of the same function over that child, or, where the function does not run, of the only function there that
/// scatters all that it gathers; last, all rows of a RowMap::all(). Edges of the data keep their input, in both
/// directions; other edges have none. A function that pushes an output of the model gets all input of its data
/// vertices, any other only the ports that it pulls. The prediction for a vertex of the sample is that of the first
/// function over it that pushes `output`.
/// @throws UserError if the connections do not fit, or if `source` lacks a type or a port that the network reads.
GraphBuilder network_builder(const Model& model, const GraphSchema& source, std::string_view output = "logits");

/// The builder of this name. If the name is empty: the network_builder of `model`, if that is a network, else none.
std::optional<GraphBuilder> graph_builder_for(std::string_view name, const Model* model, const GraphSchema& source);

/// Builds the graphs of all samples. Graphs that already have the schema `target` are returned as they are. `outputs`
/// gets BuiltGraph::outputs of all samples, one after the other, with vertices numbered from 0 in each sample.
/// @throws UserError naming both schemas if the graphs have neither. Cost: linear.
GraphSet build_graphs(GraphSet samples, const GraphBuilder& builder, std::vector<std::int32_t>* outputs = nullptr);

/// A copy of one graph of a set. @throws UserError for a number out of range.
InputGraph sample_of(const GraphSet& set, std::int32_t sample);

/// Many graphs as edges from a child to its parent. Vertices count from 0 through all samples.
struct EdgeList {
  std::span<const std::int64_t> sizes;          // [samples]: vertices of each
  std::span<const std::int64_t> child, parent;  // [edges]
};

/// What GraphSet::from_arrays takes, without types and ports: the children of a vertex are in the order of the edges.
struct GroupedEdges {
  std::vector<std::int64_t> sample_begin, child_offsets;
  std::vector<std::int32_t> children;
  std::vector<std::int64_t> edges;  // [slots]: the edge that stands at each
};

/// Checks only what grouping needs; from_arrays checks the graphs. @throws UserError for a sample without vertices, a
/// vertex that is none, an edge between two samples, or too many vertices. Cost: linear.
GroupedEdges group_edges(const EdgeList& list);

/// A hash of all that a set has: equal for equal data. Cost: 2 GB/s.
std::uint64_t content_hash(const GraphSet& data);

}  // namespace v0_1
}  // namespace cavs
