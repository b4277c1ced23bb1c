#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cavs/graph.h"
#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Vertices of one type whose states the caller keeps from an earlier run, so the type's function is not evaluated.
struct KeptRows {
  std::int32_t type = -1;         // number of the type in the program, or -1 if no states are kept
  std::vector<char> states = {};  // [states] true if the caller has rows of the state for all vertices
};

/// The number of vertices that one sample has on one level.
struct LevelRun {
  std::int32_t level = 0, vertices = 0;
};

/// A program and a data set that fit each other. Types and ports are matched by name. All numbers that are looked up
/// are inside their tables, and all children have the states that are gathered from them. A program with one vertex
/// function accepts vertices of every type. Keeps references to both, which must outlive the object. Only update()
/// changes it.
class BoundGraphs : public std::enable_shared_from_this<BoundGraphs> {
 public:
  /// @throws UserError that names the type, port, state or vertex that does not fit. Cost: linear in the data set.
  /// @param run_ports  float ports whose rows each run supplies (bind_graphs)
  BoundGraphs(const Program& program, const GraphSet& graphs, std::vector<std::string> run_ports = {});
  BoundGraphs(const Program& program, const GraphSet&& graphs) = delete;

  /// Reads the graphs again after they changed, with the same schema. Errors and cost as for the constructor.
  void update();

  const Program& program() const { return *program_; }
  const GraphSet& graphs() const { return *graphs_; }
  /// Returns, per vertex of the data set, the number of its type in the program.
  std::span<const std::int32_t> types() const { return types_; }
  /// Returns, per vertex of the data set, its level, which is higher than the levels of its children. In a network, a
  /// function that reads other functions has levels above all levels of these. So its vertices are batched even if the
  /// depths of what they read differ.
  std::span<const std::int32_t> levels() const { return levels_.empty() ? graphs_->levels() : levels_; }
  /// Returns, per vertex of the data set, the number of earlier vertices of the same sample and level.
  std::span<const std::int32_t> level_ranks() const { return level_ranks_; }
  /// Returns the number of vertices on each level of a sample, by ascending level.
  std::span<const LevelRun> level_runs(std::int32_t sample) const {
    return std::span(level_runs_).subspan(run_begin_[sample], run_begin_[sample + 1] - run_begin_[sample]);
  }
  /// Returns, per type of the program, 1 if all its vertices are one task. The type is static then (in a network, it
  /// gathers nothing), and its vertices never feed each other.
  std::span<const char> one_task() const { return one_task_; }
  /// True if no vertex of the data set has two parents, or the same parent twice, as in trees and chains.
  bool one_parent() const { return one_parent_; }
  /// Returns the values of an index port of the data set, or of a port that tells which vertices have a value of
  /// another port (ir/presence.h).
  std::span<const std::int32_t> index_port(const std::string& name) const;
  /// Like index_port, for a port of edges: one number per child slot of the data set.
  std::span<const std::int32_t> edge_index_port(const std::string& name) const;
  /// Returns the number of labels that reports count for vertices [begin, end) of the data set (see label_ports).
  std::int64_t labels(std::int64_t begin, std::int64_t end) const {
    return std::accumulate(labels_.begin() + begin, labels_.begin() + end, std::int64_t{0});
  }
  /// The float ports whose rows each run supplies.
  std::span<const std::string> run_ports() const { return run_ports_; }
  bool is_run_port(const std::string& port) const { return std::ranges::find(run_ports_, port) != run_ports_.end(); }
  /// Returns row 0 of the data set's values for float port number `port` of the program (of vertices or of edges).
  const float* float_port(std::int32_t port) const;
  /// Returns, per vertex of the data set, 1 if it has a row of the float port, else 0. Empty if all have a row.
  std::span<const std::uint8_t> float_present(std::int32_t port) const;

 private:
  void map_type_names();
  void map_types();
  bool is_presence_of_run_port(const std::string& name) const;
  void find_presence();
  void count_labels();
  void check_run_ports() const;
  void check_ports() const;
  void check_indices() const;
  void find_missing_states();
  void check_children() const;
  void find_network_levels();
  void rank_levels();
  std::string vertex_name(std::int64_t vertex) const;
  /// Calls f(vertex, number of the child, slot) for every edge of each vertex of this type.
  template <typename F>
  void each_edge(std::int32_t type, F f) const {
    const auto begin = graphs_->child_begin();
    const auto children = graphs_->children();
    for (std::size_t v = 0; v < types_.size(); ++v)
      if (types_[v] == type)
        for (std::int64_t k = begin[v] + program_->types[type].first_edge_slot; k < begin[v + 1]; ++k)
          if (children[k] >= 0) f(v, k - begin[v], k);
  }

  const Program* program_;
  const GraphSet* graphs_;
  std::vector<std::string> run_ports_;
  std::vector<std::int32_t> type_map_;  // [types of the graphs] type in the program, or -1 if it has none
  // [parent types][slots][child types] name of a state that the parent gathers from this slot and the child lacks, or
  // "". Later slots are like the last one.
  std::vector<std::vector<std::string>> missing_states_;
  std::map<std::string, std::vector<std::int32_t>> presence_;       // by name of the presence port: [V] 0 or -1
  std::map<std::string, std::vector<std::int32_t>> edge_presence_;  // likewise: [child slots] 0 or -1
  std::vector<std::int32_t> labels_;  // [V] number of labels that reports count for the vertex
  std::vector<std::int32_t> types_;
  std::vector<std::int32_t> levels_;  // [V] what levels() returns; in networks only
  std::vector<std::int32_t> level_ranks_;
  std::vector<LevelRun> level_runs_;
  std::vector<std::int64_t> run_begin_;  // [samples + 1] first entry of the sample in level_runs_
  std::vector<char> one_task_;           // [types] what one_task() returns
  bool one_parent_ = false;
};

/// K input graphs packed as flat arrays; vertices are numbered through all samples. Packing allocates nothing once the
/// arrays fit the largest minibatch.
struct Minibatch {
  const BoundGraphs* bound = nullptr;      // nullptr if the arrays were filled by hand, for scheduling only
  std::vector<std::int32_t> samples;       // [K] number of the sample in the data set
  std::vector<std::int32_t> vertex_begin;  // [K + 1] first vertex of the sample
  std::vector<std::int32_t> types;         // [V] type of the vertex in the program
  std::vector<std::int32_t> levels;        // [V] as in BoundGraphs
  std::vector<std::int32_t> child_begin;   // [V + 1] first entry of the vertex in `children`
  std::vector<std::int32_t> children;      // number of the child in the minibatch, or -1 if it is absent
  std::vector<std::int32_t> type_count;    // [types] number of vertices
  std::int32_t edges = 0;                  // number of present children
  std::int64_t labels = 0;                 // number of labels that reports count
  std::span<const char> one_task;          // [types] as in BoundGraphs; empty if no type is one task
  KeptRows kept;                           // the type whose states the caller keeps

  std::int32_t vertices() const { return vertex_begin.back(); }
  std::vector<std::int32_t> all_vertices() const {
    std::vector<std::int32_t> all(static_cast<std::size_t>(vertices()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  /// Returns the number in the data set of the first vertex of sample `k`.
  std::int64_t source_begin(std::int32_t k) const { return bound->graphs().vertex_begin()[samples[k]]; }
  bool is_kept(std::int32_t type) const { return type == kept.type; }
  /// True if the caller keeps the state. If false, the run chooses its memory.
  bool keeps_state(std::int32_t state) const { return kept.type >= 0 && kept.states[state] != 0; }
  /// Returns the position in `samples` of the sample of a vertex. Cost: logarithmic in the samples.
  std::int32_t position_of(std::int32_t vertex) const {
    const auto next = std::upper_bound(vertex_begin.begin(), vertex_begin.end(), vertex);
    return static_cast<std::int32_t>(next - vertex_begin.begin()) - 1;
  }
  /// Returns the number in the data set of a vertex of sample `k` (a position in `samples`).
  std::int64_t source(std::int32_t k, std::int32_t vertex) const {
    return source_begin(k) + (vertex - vertex_begin[k]);
  }

  void clear(const BoundGraphs& graphs, KeptRows rows = {});
  /// Appends a sample. @throws UserError if the minibatch would exceed 2^31 vertices or edges.
  void add(std::int32_t sample);
};

}  // namespace cavs::inline v0_1
