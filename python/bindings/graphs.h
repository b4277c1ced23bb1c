#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"

namespace cavs::python {

using Ports = std::map<std::string, nb::object>;
using Names = std::optional<std::vector<std::string>>;

/// A caller's array that graphs read in place. It and all arrays that it is a view of become read-only; `hashes` detect
/// a change that happened all the same.
struct SharedNumbers {
  std::string port;
  nb::object array;
  std::span<const float> values;           // [vertices, width]
  std::vector<std::uint64_t> hashes = {};  // [samples]: hash of the values of each sample

  std::uint64_t hash_of(const GraphSet& set, std::int32_t sample) const;
};

/// Returns graphs made of arrays. @throws UserError, with the position, for arrays that do not describe graphs.
PyGraphs graphs_from_arrays(nb::handle sample_begin, nb::handle child_offsets, nb::handle children, nb::handle types,
                            const Names& type_names, const Ports& ports, const Ports& edge_ports, bool copy);
PyGraphs graphs_from_edges(nb::handle sizes, nb::handle child, nb::handle parent, nb::handle types,
                           const Names& type_names, const Ports& ports, const Ports& edge_ports, bool copy);

/// Returns the samples with these numbers, in this order. @throws nb::index_error
PyGraphs select_samples(const PyGraphs& graphs, const std::vector<std::int64_t>& samples);
/// Returns the samples of all sets as one set. @throws UserError if the types or ports of the sets differ.
PyGraphs join_graphs(const std::vector<PyGraphs>& parts);

/// Converts a set of graphs to a tuple of arrays for pickling, and back.
nb::tuple graphs_to_state(const PyGraphs& graphs);
PyGraphs graphs_from_state(const nb::tuple& state);

}  // namespace cavs::python
