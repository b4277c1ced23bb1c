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

/// The names of the vertex types and input ports of a set of graphs. An index port has one integer per vertex (such as
/// the id of a word, or a label; -1 is absent), and a float port has `width` numbers per vertex. Edge ports have one
/// integer or `width` numbers per edge: a pair of a vertex and one of its children. All ports of a schema have
/// different names.
struct GraphSchema {
  struct FloatPort {
    std::string name;
    std::int32_t width = 0;  // numbers per vertex or edge
    bool operator==(const FloatPort&) const = default;
  };
  std::vector<std::string> types{};
  std::vector<std::string> index_ports{};
  std::vector<FloatPort> float_ports{};
  std::vector<std::string> edge_index_ports{};
  std::vector<FloatPort> edge_float_ports{};
  bool connected = false;  // true if network_builder made the graphs
  bool operator==(const GraphSchema&) const = default;
};

/// The schema of every tree: types "leaf" and "inner"; index ports "word" and "label".
GraphSchema tree_schema();

/// Names of the integers on edge index ports, by port: element i of a list is the name of the integer i.
using EdgeNames = std::map<std::string, std::vector<std::string>>;

/// Maximum sizes of a graph. A larger graph is a UserError.
struct GraphLimits {
  std::int64_t vertices = 50'000'000;
  std::int64_t edges = 200'000'000;  // number of child slots, including slots of absent children
  std::int32_t depth = 20'000'000;   // number of vertices on the longest path
  std::int32_t arity = 1'000'000;    // number of child slots of one vertex
};

/// Graphs as concatenated flat arrays with V vertices in total. `Array<T>` is a sequence of T. Ids are local to a
/// sample (from 0). Vertices of a sample may be in any order, and a vertex may have several parents.
template <template <typename> typename Array>
struct BasicGraphArrays {
  template <typename T>
  using Ports = std::vector<Array<T>>;

  Array<std::int64_t> sample_begin = {};   // [samples + 1], from 0: sample s has vertices [sample_begin[s],
                                           // sample_begin[s + 1])
  Array<std::int32_t> types = {};          // [V]: position of the vertex's type in GraphSchema::types
  Array<std::int64_t> child_offsets = {};  // [V + 1], from 0: vertex v has child slots [child_offsets[v],
                                           // child_offsets[v + 1])
  Array<std::int32_t> children = {};       // [slots]: local id of the child; -1 if it is absent
  Ports<std::int32_t> index_pulls = {};    // [index ports][V]; -1 if the vertex has no integer
  Ports<float> float_pulls = {};           // [float ports][V * width]
  Ports<std::uint8_t> float_present = {};  // [float ports][V]: 1 if the vertex has a row, else 0; empty if all have one
  // The input of edges, in the order of `children`. At the slot of an absent child, indices must be -1, and floats are
  // not read. edge_float_present: [edge float ports][slots], or empty if every edge has a row.
  Ports<std::int32_t> edge_index_pulls = {};  // [edge index ports][slots]
  Ports<float> edge_float_pulls = {};         // [edge float ports][slots * width]
  Ports<std::uint8_t> edge_float_present = {};
};

namespace detail {

/// An array of a GraphSet: owned by the set, or read-only in the caller's memory.
template <typename T>
class FlatArray {
 public:
  FlatArray() = default;
  explicit FlatArray(std::vector<T> own) : own_(std::move(own)) {}
  explicit FlatArray(std::span<const T> kept) : kept_(kept) {}

  std::span<const T> view() const { return kept_.data() == nullptr ? std::span<const T>(own_) : kept_; }
  /// Returns the array for writing, after copying it if it is in the caller's memory.
  std::vector<T>& own() {
    if (kept_.data() != nullptr) {
      own_.assign(kept_.begin(), kept_.end());
      kept_ = {};
    }
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

/// Arrays that own their memory.
using GraphArrays = BasicGraphArrays<detail::OwnArray>;
/// The arrays of one graph; sample_begin is not read.
using InputGraph = GraphArrays;
/// Arrays in memory that the caller owns.
using GraphArraysView = BasicGraphArrays<detail::ArrayView>;
/// Returns a view of the arrays, which must outlive the view and not change.
GraphArraysView view_of(const GraphArrays& arrays);

/// A data set: the concatenated arrays of its graphs. Each graph is checked once, when it is added, and its parents and
/// levels are computed then. Only add() changes a set; reading is thread-safe.
class GraphSet {
 public:
  /// @throws UserError for an empty or duplicate name, or a float port with a width below 1.
  explicit GraphSet(GraphSchema schema = {}, GraphLimits limits = {});

  /// Makes a set of many graphs in one call, and takes over the arrays. Each graph is checked as by add(); messages
  /// start with `where` and the sample. @throws UserError as add() does, or for arrays of different sizes. Cost: linear
  /// in vertices + edges.
  static GraphSet from_arrays(GraphSchema schema, GraphArrays arrays, GraphLimits limits = {},
                              const std::string& where = "graphs");
  /// Like from_arrays, but without a copy: the set reads the caller's arrays in place and never writes them. The arrays
  /// must stay alive and unchanged while the set or a copy of it exists. The numbers of an absent float row, and those
  /// at the slot of an absent child, must be zeros. float_present must be 0 or 1, and 0 at the slot of an absent child.
  /// The set owns parents and levels, and makes float_present arrays that are empty. add() first copies all arrays.
  static GraphSet over_arrays(GraphSchema schema, const GraphArraysView& arrays, GraphLimits limits = {},
                              const std::string& where = "graphs");
  /// A copy of the arrays, from which from_arrays makes this set again.
  GraphArrays to_arrays() const;

  /// Checks and appends a graph. Every error message starts with `where`, for example "trees.txt:17". Numbers of an
  /// absent float row are not read and become zeros. float_present may be empty if no float row is absent.
  /// @throws UserError for a graph without vertices, a cycle (named from child to parent), an id out of range, arrays
  /// of different sizes, a number that is not finite, or an exceeded limit; the set is then unchanged. Cost: linear in
  /// vertices + edges. Not recursive: only the limits bound the depth.
  void add(const InputGraph& graph, const std::string& where = "graph");

  std::int32_t size() const { return static_cast<std::int32_t>(vertex_begin().size()) - 1; }
  std::int64_t vertices() const { return vertex_begin().back(); }
  /// Number of child slots, including absent children. parents().size() is the number of edges that are present.
  std::int64_t edges() const { return static_cast<std::int64_t>(children().size()); }

  const GraphSchema& schema() const { return schema_; }
  const GraphLimits& limits() const { return limits_; }

  // Flat arrays; the spans are valid until the next add(). Sample s has vertices [vertex_begin()[s], vertex_begin()[s +
  // 1]). Ids are local to a sample (from 0).

  /// [samples + 1]
  std::span<const std::int64_t> vertex_begin() const { return arrays_.sample_begin.view(); }
  /// [V]
  std::span<const std::int32_t> types() const { return arrays_.types.view(); }
  /// [V + 1]: the child slots of vertex v are children()[child_begin()[v]] up to child_begin()[v + 1]
  std::span<const std::int64_t> child_begin() const { return arrays_.child_offsets.view(); }
  /// [slots]: local id of the child; -1 if it is absent
  std::span<const std::int32_t> children() const { return arrays_.children.view(); }
  /// [V + 1]
  std::span<const std::int64_t> parent_begin() const { return parent_begin_; }
  /// Local ids of parents, in ascending order of (parent, slot). A parent that lists a child twice occurs twice.
  std::span<const std::int32_t> parents() const { return parents_; }
  /// [V]: 0 for a leaf, else 1 + the highest level of its children
  std::span<const std::int32_t> levels() const { return levels_; }
  /// [V]. `port` is the position in the schema; here and below, it is not checked.
  std::span<const std::int32_t> index_pulls(std::size_t port) const { return arrays_.index_pulls[port].view(); }
  /// [V * width]
  std::span<const float> float_pulls(std::size_t port) const { return arrays_.float_pulls[port].view(); }
  /// [V]: 1 if the vertex has a row, else 0
  std::span<const std::uint8_t> float_present(std::size_t port) const { return arrays_.float_present[port].view(); }
  /// [slots], in the order of children(); -1 if absent, and at the slot of an absent child
  std::span<const std::int32_t> edge_index_pulls(std::size_t port) const {
    return arrays_.edge_index_pulls[port].view();
  }
  /// [slots * width]; zeros if absent
  std::span<const float> edge_float_pulls(std::size_t port) const { return arrays_.edge_float_pulls[port].view(); }
  /// [slots]: 1 if the edge has a row, else 0; 0 at the slot of an absent child
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

/// Makes graphs from text, for tests and documents: "0>2 1>2 | 3>4" is two trees, with edges child>parent; "5" alone is
/// a vertex without edges. Numbers are global and become local ids in ascending order. The schema has one type,
/// "vertex". A parent's children are in the order of its edges in the text.
/// @throws UserError naming the graph and the mistake.
GraphSet graphs_from_text(const std::string& text);

/// Sizes of a set of graphs. Edges to absent children do not count. Depth is the number of edges on the longest path of
/// a sample. A root has no parent, a leaf no child.
struct GraphStatistics {
  std::int64_t samples = 0, vertices = 0, edges = 0, roots = 0, leaves = 0;
  std::int64_t smallest = 0, largest = 0;  // number of vertices of the smallest and of the largest sample
  std::int32_t max_depth = 0;
  double mean_depth = 0;       // mean over samples
  std::int64_t max_arity = 0;  // largest number of child slots of a vertex
  double mean_arity = 0;       // mean number of children, over vertices with children
  bool operator==(const GraphStatistics&) const = default;
};

/// Cost: linear in vertices.
GraphStatistics statistics(const GraphSet& graphs);

/// The numbers as text for people: one line "name value" for each.
std::string to_string(const GraphStatistics& statistics);

/// The input graph that a model evaluates for one sample.
struct BuiltGraph {
  InputGraph graph;
  // [vertices of the sample]: the vertex of `graph` whose output predicts the label of this vertex; -1 means none
  std::vector<std::int32_t> outputs;
};

/// Makes the graphs that a model evaluates from the graphs of the data, with other vertex types or additional vertices
/// and edges. `build` is a pure function of one sample.
struct GraphBuilder {
  std::string name;
  std::string doc;
  GraphSchema source;  // schema of the input graphs
  GraphSchema target;  // schema of the resulting graphs
  std::function<BuiltGraph(const InputGraph& sample)> build;
};

std::span<const GraphBuilder> all_graph_builders();
/// @throws UserError with a suggestion if there is none.
const GraphBuilder& find_graph_builder(std::string_view name);

/// Returns a builder that turns graphs of the data, with the schema `source`, into the graphs that a network
/// (Model::connect) evaluates. If a vertex function runs over a vertex d of the data (FunctionOptions::over), the new
/// graph has a vertex for this pair. The children of the pair (function, d) are, in this order:
///   1. for each connected pull port, the vertex that pushes the row;
///   2. for each child of d (each parent, if the function is reversed), the pair (function, child); if the function
///   does not run over the child, the pair with the only other function that does and that scatters all states that the
///   function gathers;
///   3. for a connection with RowMap::all(), all vertices that push its rows.
/// Edges of the data keep their inputs, also in reversed functions; other edges have no inputs. Vertices of a function
/// that pushes an output of the model get all inputs of d; vertices of other functions get only the ports that the
/// function pulls. The label of d is predicted by the first function that runs over d and pushes `output`.
/// @throws UserError for invalid connections, or if `source` lacks a type or port that the network reads.
GraphBuilder network_builder(const Model& model, const GraphSchema& source, std::string_view output = "logits");

/// Returns the builder of this name. If `name` is empty: the network_builder of `model` if it is a network, else none.
std::optional<GraphBuilder> graph_builder_for(std::string_view name, const Model* model, const GraphSchema& source);

/// Builds the graphs of all samples. Graphs that already have the schema `target` are returned unchanged. `outputs`
/// receives the concatenated BuiltGraph::outputs, with vertices numbered from 0 in each sample.
/// @throws UserError naming both schemas if the graphs have neither schema. Cost: linear.
GraphSet build_graphs(GraphSet samples, const GraphBuilder& builder, std::vector<std::int32_t>* outputs = nullptr);

/// A copy of one graph of a set. @throws UserError for a number out of range.
InputGraph sample_of(const GraphSet& set, std::int32_t sample);

/// Graphs as lists of edges from child to parent. Vertices of all samples are numbered consecutively from 0.
struct EdgeList {
  std::span<const std::int64_t> sizes;          // [samples]: number of vertices of the sample
  std::span<const std::int64_t> child, parent;  // [edges]: the edge's two vertices
};

/// The arrays of GraphSet::from_arrays, without types and ports. Children of a vertex are in the order of the edges.
struct GroupedEdges {
  std::vector<std::int64_t> sample_begin, child_offsets;
  std::vector<std::int32_t> children;
  std::vector<std::int64_t> edges;  // [slots]: number of the edge in each slot
};

/// Groups edges by parent. Checks only what grouping needs; from_arrays checks the graphs. @throws UserError for a
/// sample without vertices, a vertex out of range, an edge between two samples, or too many vertices. Cost: linear.
GroupedEdges group_edges(const EdgeList& list);

/// A hash of all contents of a set. Equal data have equal hashes. Speed: 2 GB/s.
std::uint64_t content_hash(const GraphSet& data);

}  // namespace v0_1
}  // namespace cavs
