#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cavs/graph.h"
#include "cavs/model.h"

namespace cavs::python {

/// Graphs of the data as a network evaluates them, which have a vertex for every function over every vertex.
class NetworkGraphs {
 public:
  /// Cost: linear in the graphs and the functions. @throws UserError as network_builder and build_graphs.
  NetworkGraphs(const Model& network, const GraphSet& data);

  const GraphSet& evaluated() const { return *evaluated_; }
  const std::shared_ptr<const GraphSet>& shared() const { return evaluated_; }
  /// Of each vertex that is evaluated in a minibatch of these samples, the row of its vertex of the data among those of
  /// the minibatch.
  std::vector<std::int64_t> rows(std::span<const std::int32_t> samples) const;
  /// Of each of these, its vertex function, in the order of Model::functions().
  std::vector<std::int32_t> functions(std::span<const std::int32_t> samples) const;
  /// First row of the data's vertices of each sample: [samples + 1].
  std::vector<std::int32_t> sample_begin(std::span<const std::int32_t> samples) const;

 private:
  std::shared_ptr<const GraphSet> evaluated_;
  std::vector<std::int32_t> over_;        // [vertices evaluated]: vertex of the data in its sample
  std::vector<std::int64_t> data_begin_;  // [samples + 1]: first vertex of the data
};

// Rows of a port, [vertices, width] each, between the data's vertices and those that are evaluated. rows: of each
// vertex that is evaluated, the row of its vertex of the data; in spread and add_up -1 leaves it out, with zeros.

/// The row of each vertex of the data at all vertices that are evaluated over it.
std::vector<float> spread(std::span<const float> of_data, std::span<const std::int64_t> rows, std::size_t width);
/// To each vertex of the data the row of the one that has any (null: none); zeros elsewhere.
void collect(std::span<const float* const> evaluated, std::span<const std::int64_t> rows, std::size_t width,
             std::span<float> of_data);
/// To each vertex of the data the sum over those that are evaluated over it.
void add_up(std::span<const float> evaluated, std::span<const std::int64_t> rows, std::size_t width,
            std::span<float> of_data);

}  // namespace cavs::python
