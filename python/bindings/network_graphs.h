#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cavs/graph.h"
#include "cavs/model.h"

namespace cavs::python {

/// The graphs that a network evaluates: one vertex per vertex function and vertex of the data that it runs over.
class NetworkGraphs {
 public:
  /// Cost: linear in the graphs and the functions. @throws UserError as network_builder and build_graphs.
  NetworkGraphs(const Model& network, const GraphSet& data);

  const GraphSet& evaluated() const { return *evaluated_; }
  const std::shared_ptr<const GraphSet>& shared() const { return evaluated_; }
  /// For each evaluated vertex of a minibatch of these samples: the row of its data vertex in the minibatch.
  std::vector<std::int64_t> rows(std::span<const std::int32_t> samples) const;
  /// For each of these evaluated vertices: its vertex function, as a position in Model::functions().
  std::vector<std::int32_t> functions(std::span<const std::int32_t> samples) const;
  /// The row of the first data vertex of each sample: [samples + 1].
  std::vector<std::int32_t> sample_begin(std::span<const std::int32_t> samples) const;

 private:
  std::shared_ptr<const GraphSet> evaluated_;
  std::vector<std::int32_t> over_;        // [evaluated vertices]: data vertex, as a number in its sample
  std::vector<std::int64_t> data_begin_;  // [samples + 1]: first data vertex
};

// These functions convert rows of a port [vertices, width] between data vertices and evaluated vertices. `rows` has the
// data row of each evaluated vertex. In spread and add_up, -1 skips a vertex, whose row is then zeros.

/// Copies the row of each data vertex to all vertices that are evaluated over it.
std::vector<float> spread(std::span<const float> of_data, std::span<const std::int64_t> rows, std::size_t width);
/// Copies to each data vertex the row of the evaluated vertex that has one (null: it has none); zeros elsewhere.
void collect(std::span<const float* const> evaluated, std::span<const std::int64_t> rows, std::size_t width,
             std::span<float> of_data);
/// Adds up, for each data vertex, the rows of the vertices that are evaluated over it.
void add_up(std::span<const float> evaluated, std::span<const std::int64_t> rows, std::size_t width,
            std::span<float> of_data);

}  // namespace cavs::python
