#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "execute/reference/dropout.h"
#include "ir/function.h"
#include "pack/minibatch.h"

namespace cavs::reference {

/// A minibatch as the interpreter reads it: vertex by vertex, directly from the data set. It uses only two parts of the
/// packed minibatch: the list of samples, and the rows that the run supplies. Vertices are numbered through all
/// samples. Keeps references to the minibatch and the functions.
class Graph {
 public:
  /// @param functions  [types] vertex function of the type
  /// @param pulls  RunInputs::pulls, or empty
  Graph(const Minibatch& minibatch, std::span<const Function> functions, std::span<const float* const> pulls);

  std::int32_t vertices() const { return static_cast<std::int32_t>(places_.size()); }
  const Function& function(std::int32_t vertex) const { return functions_[type(vertex)]; }
  /// Returns all vertices, each after its children.
  const std::vector<std::int32_t>& children_first() const { return order_; }

  /// Returns the vertex in a child slot, or -1.
  std::int32_t child(std::int32_t vertex, std::int32_t slot) const;
  /// Returns the child slots of the vertex that are its edges.
  std::vector<std::int32_t> edges(std::int32_t vertex) const;

  /// These return the value of a vertex or an edge at a port: an integer (-1 if absent), or a row (empty if absent).
  std::int32_t index(std::int32_t vertex, const std::string& port) const;
  std::int32_t edge_index(std::int32_t vertex, std::int32_t edge, const std::string& port) const;
  std::span<const float> row(std::int32_t vertex, const std::string& port, std::int64_t width) const;
  std::span<const float> edge_row(std::int32_t vertex, std::int32_t edge, const std::string& port,
                                  std::int64_t width) const;

  /// Returns the key of a mask at a vertex, without seed and epoch.
  MaskKey mask_key(std::int32_t vertex, const attr::Dropout& dropout) const;
  MaskKey edge_mask_key(std::int32_t vertex, std::int32_t edge, const attr::Dropout& dropout) const;

 private:
  struct Place {
    std::int32_t sample;  // number of the sample in the data set
    std::int32_t first;   // first vertex of the sample
    std::int64_t source;  // number of the vertex in the data set
  };

  void place_children_first(std::int32_t root, std::vector<char>& placed);
  std::int32_t type(std::int32_t vertex) const { return data_.types()[places_[vertex].source]; }
  std::int32_t slots(std::int32_t vertex) const;
  std::int64_t slot_of_data(std::int32_t vertex, std::int32_t slot) const;
  std::int32_t float_port(const std::string& name) const;

  const BoundGraphs& data_;
  const GraphSet& graphs_;
  std::span<const Function> functions_;
  std::span<const float* const> pulls_;
  std::vector<std::int32_t> first_edge_;  // [types] first child slot that is an edge
  std::vector<Place> places_;             // [vertices]
  std::vector<std::int32_t> order_;
};

}  // namespace cavs::reference
