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
  /// Returns, for each evaluated vertex of a minibatch of these samples, the row of its data vertex in the minibatch.
  std::vector<std::int64_t> rows(std::span<const std::int32_t> samples) const;
  /// Returns, for each evaluated vertex of the minibatch, its vertex function, as a position in Model::functions().
  std::vector<std::int32_t> functions(std::span<const std::int32_t> samples) const;
  /// Returns the row, in the minibatch, of the first data vertex of each sample: [samples + 1].
  std::vector<std::int32_t> sample_begin(std::span<const std::int32_t> samples) const;

 private:
  std::shared_ptr<const GraphSet> evaluated_;
  std::vector<std::int32_t> over_;        // [evaluated vertices]: number of the data vertex within its sample
  std::vector<std::int64_t> data_begin_;  // [samples + 1]: first data vertex of each sample
};

// These functions convert rows of a port [vertices, width] between data vertices and evaluated vertices. `rows` has the
// data row of each evaluated vertex. In spread and add_up, -1 skips a vertex, whose row is then zeros.

/// Returns the rows of the evaluated vertices: copies of the rows of their data vertices.
std::vector<float> spread(std::span<const float> of_data, std::span<const std::int64_t> rows, std::size_t width);
/// Copies rows of evaluated vertices, null for a vertex without a row, to their data vertices. Other rows become zeros.
void collect(std::span<const float* const> evaluated, std::span<const std::int64_t> rows, std::size_t width,
             std::span<float> of_data);
/// Adds up, for each data vertex, the rows of the vertices that are evaluated over it.
void add_up(std::span<const float> evaluated, std::span<const std::int64_t> rows, std::size_t width,
            std::span<float> of_data);

}  // namespace cavs::python
