#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "graphs.h"
#include "support/check.h"
#include "support/hash.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

/// A set of graphs, and the caller's arrays that it keeps alive. They are released with the GIL held.
struct KeptArrays {
  GraphArrays own = {};
  std::vector<SharedNumbers> shared = {};
  GraphSet set = GraphSet();
};

/// Names and values of ports. The values are copies that the set owns, or shared arrays of the caller.
struct PortArrays {
  std::vector<std::string> index_names = {};
  std::vector<GraphSchema::FloatPort> float_ports = {};
  std::vector<std::vector<std::int32_t>> indices = {};
  std::vector<std::vector<float>> floats = {};  // [float ports]; empty for shared ports
  std::vector<std::vector<std::uint8_t>> present = {};
  std::map<std::size_t, SharedNumbers> shared = {};  // by number of the float port: arrays of the caller
};

bool is_absent(std::span<const float> row) {
  return std::ranges::all_of(row, [](float x) { return x != x; });
}

/// Marks rows that are entirely NaN as absent and fills them with zeros. The library checks later that all other
/// numbers are finite.
std::vector<std::uint8_t> find_present(std::span<float> values, std::size_t width) {
  std::vector<std::uint8_t> present(values.size() / width, 1);
  bool all = true;
  for (std::size_t row = 0; row < present.size(); ++row) {
    const std::span<float> numbers = values.subspan(row * width, width);
    if (!is_absent(numbers)) continue;
    std::ranges::fill(numbers, 0.0F);
    present[row] = 0;
    all = false;
  }
  return all ? std::vector<std::uint8_t>{} : present;
}

nb::object numpy_array() { return nb::module_::import_("numpy").attr("ndarray"); }

/// Makes a NumPy array, and all arrays that it is a view of, read-only.
void make_read_only(nb::object array) {
  const nb::object type = numpy_array();
  for (; nb::isinstance(array, type); array = array.attr("base")) array.attr("setflags")("write"_a = false);
}

/// Returns the numbers of `array` if it is a contiguous NumPy array of float32 without absent rows; else nullopt.
std::optional<SharedNumbers> share(const std::string& port, const nb::object& array) {
  nb::ndarray<const float, nb::c_contig, nb::device::cpu> view;
  if (!nb::isinstance(array, numpy_array()) || !nb::try_cast(array, view, false) || view.ndim() < 1 || view.ndim() > 2)
    return std::nullopt;
  const std::span<const float> values(view.data(), view.size());
  const std::size_t width = view.ndim() == 2 ? view.shape(1) : 1;
  for (std::size_t row = 0; width > 0 && row < view.shape(0); ++row)
    if (is_absent(values.subspan(row * width, width))) return std::nullopt;
  return SharedNumbers{port, array, values};
}

std::int32_t width_of(const std::string& where, const std::vector<std::int64_t>& shape) {
  const bool fits = shape.size() == 1 || (shape.size() == 2 && 0 < shape[1] && shape[1] < INT32_MAX);
  user_check(fits, "{} has {} dimensions{}; expected [rows, width], or [rows] of width 1", where, shape.size(),
             shape.size() == 2 ? " and width 0" : "");
  return static_cast<std::int32_t>(shape.size() == 1 ? 1 : shape[1]);
}

bool is_float(const nb::object& array) {
  nb::ndarray<nb::ro, nb::device::cpu> any;
  return nb::try_cast(array, any) && any.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float);
}

/// Converts arrays to ports: integers to index ports, floats [rows, width], or [rows] for width 1, to float ports.
PortArrays ports_from(const char* what, const Ports& ports, bool copy) {
  PortArrays out;
  for (const auto& [name, given] : ports) {
    const std::string where = fmt::format("{} '{}'", what, name);
    check_mask(where, given);
    const bool listed = nb::isinstance<nb::list>(given) || nb::isinstance<nb::tuple>(given);
    const nb::object array = listed ? nb::module_::import_("numpy").attr("asarray")(given) : on_host(where, given);
    if (!is_float(array)) {
      out.index_names.push_back(name);
      out.indices.push_back(int32_from(where, array));
      continue;
    }
    std::vector<std::int64_t> shape;
    if (auto shared = copy ? std::nullopt : share(where, array)) {
      for (const nb::handle size : array.attr("shape")) shape.push_back(nb::cast<std::int64_t>(size));
      out.float_ports.push_back({.name = name, .width = width_of(where, shape)});
      out.shared.emplace(out.floats.size(), std::move(*shared));
      out.floats.emplace_back();
      out.present.emplace_back();
      continue;
    }
    out.floats.push_back(floats_from(where, array, shape));
    out.float_ports.push_back({.name = name, .width = width_of(where, shape)});
    out.present.push_back(find_present(out.floats.back(), static_cast<std::size_t>(out.float_ports.back().width)));
  }
  return out;
}

/// Sets edge values at slots of absent children, which are ignored, to absent.
void clear_absent_slots(GraphArrays& arrays, const GraphSchema& schema) {
  for (std::size_t p = 0; p < arrays.edge_float_pulls.size(); ++p) {
    const auto width = static_cast<std::size_t>(schema.edge_float_ports[p].width);
    std::vector<float>& numbers = arrays.edge_float_pulls[p];
    std::vector<std::uint8_t>& present = arrays.edge_float_present[p];
    if (numbers.size() != arrays.children.size() * width) continue;  // over_arrays() reports the wrong size
    if (present.empty()) present.assign(arrays.children.size(), 1);
    for (std::size_t slot = 0; slot < arrays.children.size(); ++slot) {
      if (arrays.children[slot] >= 0) continue;
      present[slot] = 0;
      std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(slot * width), width, 0.0F);
    }
  }
}

/// Returns a set of graphs that owns `arrays` and reads `shared` arrays of the caller in place.
PyGraphs over_arrays(GraphSchema schema, GraphArrays arrays, std::map<std::size_t, SharedNumbers> shared) {
  clear_absent_slots(arrays, schema);
  auto kept = std::shared_ptr<KeptArrays>(new KeptArrays{.own = std::move(arrays)}, [](KeptArrays* p) {
    const nb::gil_scoped_acquire acquire;
    delete p;
  });
  GraphArraysView view = view_of(kept->own);
  for (auto& [port, numbers] : shared) {
    view.float_pulls[port] = numbers.values;
    kept->shared.push_back(std::move(numbers));
  }
  {
    const nb::gil_scoped_release release;
    kept->set = GraphSet::over_arrays(std::move(schema), view);
    for (SharedNumbers& numbers : kept->shared)
      for (std::int32_t s = 0; s < kept->set.size(); ++s) numbers.hashes.push_back(numbers.hash_of(kept->set, s));
  }
  for (const SharedNumbers& numbers : kept->shared) make_read_only(numbers.array);
  return {.set = std::shared_ptr<const GraphSet>(kept, &kept->set),
          .shared = std::shared_ptr<const std::vector<SharedNumbers>>(kept, &kept->shared)};
}

GraphSchema schema_of(const std::vector<std::string>& types, PortArrays& vertices, PortArrays& edges) {
  return {.types = types,
          .index_ports = std::move(vertices.index_names),
          .float_ports = std::move(vertices.float_ports),
          .edge_index_ports = std::move(edges.index_names),
          .edge_float_ports = std::move(edges.float_ports)};
}

PyGraphs make_graphs(const Names& type_names, GraphArrays arrays, PortArrays vertices, PortArrays edges) {
  user_check(
      type_names || std::ranges::all_of(arrays.types, [](auto t) { return t == 0; }),
      "types are given without type_names; expected type_names=[...], whose positions from 0 are the numbers in types");
  GraphSchema schema = schema_of(type_names.value_or(std::vector<std::string>{"vertex"}), vertices, edges);
  arrays.index_pulls = std::move(vertices.indices);
  arrays.float_pulls = std::move(vertices.floats);
  arrays.float_present = std::move(vertices.present);
  arrays.edge_index_pulls = std::move(edges.indices);
  arrays.edge_float_pulls = std::move(edges.floats);
  arrays.edge_float_present = std::move(edges.present);
  if (!vertices.shared.empty()) return over_arrays(std::move(schema), std::move(arrays), std::move(vertices.shared));
  const nb::gil_scoped_release release;
  return {std::make_shared<GraphSet>(GraphSet::from_arrays(std::move(schema), std::move(arrays)))};
}

std::vector<std::int32_t> types_from(nb::handle types, std::size_t vertices) {
  return types.is_none() ? std::vector<std::int32_t>(vertices, 0) : int32_from("types", types);
}

/// Returns rows [edges, width] in the order of the child slots. Slot k has edge number edges[k].
template <typename T>
std::vector<T> in_slots(const std::vector<T>& rows, std::size_t width, const std::vector<std::int64_t>& edges) {
  std::vector<T> out;
  out.reserve(rows.size());
  for (const std::int64_t e : edges) {
    const auto begin = rows.begin() + e * static_cast<std::int64_t>(width);
    out.insert(out.end(), begin, begin + static_cast<std::int64_t>(width));
  }
  return out;
}

/// Reorders edge ports from the order of the edges to the order of the slots.
void order_by_slots(PortArrays& ports, const std::vector<std::int64_t>& edges) {
  const auto check = [&](const std::string& name, std::size_t rows) {
    user_check(rows == edges.size(), "edge port '{}' has {} rows; expected one for each of the {} edges", name, rows,
               edges.size());
  };
  for (std::size_t p = 0; p < ports.indices.size(); ++p) {
    check(ports.index_names[p], ports.indices[p].size());
    ports.indices[p] = in_slots(ports.indices[p], 1, edges);
  }
  for (std::size_t p = 0; p < ports.floats.size(); ++p) {
    const auto width = static_cast<std::size_t>(ports.float_ports[p].width);
    check(ports.float_ports[p].name, ports.floats[p].size() / width);
    ports.floats[p] = in_slots(ports.floats[p], width, edges);
    if (!ports.present[p].empty()) ports.present[p] = in_slots(ports.present[p], 1, edges);
  }
}

}  // namespace

std::uint64_t SharedNumbers::hash_of(const GraphSet& set, std::int32_t sample) const {
  const auto begin = static_cast<std::size_t>(set.vertex_begin()[sample]);
  const auto end = static_cast<std::size_t>(set.vertex_begin()[sample + 1]);
  const std::size_t width = values.size() / static_cast<std::size_t>(set.vertices());
  ContentHash hash;
  hash.update(std::as_bytes(values.subspan(begin * width, (end - begin) * width)));
  return hash.digest();
}

void PyGraphs::expect_unchanged(std::span<const std::int32_t> samples) const {
  if (shared == nullptr) return;
  for (const SharedNumbers& numbers : *shared)
    for (const std::int32_t s : samples)
      user_check(s < 0 || s >= set->size() || numbers.hash_of(*set, s) == numbers.hashes[s],
                 "{}: the array has changed at sample {} since the graphs were made with copy=False; do not write to "
                 "it, or make the graphs with copy=True",
                 numbers.port, s);
}

void PyGraphs::expect_unchanged() const {
  if (shared == nullptr) return;
  std::vector<std::int32_t> all(static_cast<std::size_t>(set->size()));
  std::iota(all.begin(), all.end(), 0);
  expect_unchanged(all);
}

PyGraphs graphs_from_arrays(nb::handle sample_begin, nb::handle child_offsets, nb::handle children, nb::handle types,
                            const Names& type_names, const Ports& ports, const Ports& edge_ports, bool copy) {
  GraphArrays arrays{.sample_begin = int64_from("sample_begin", sample_begin),
                     .child_offsets = int64_from("child_offsets", child_offsets),
                     .children = int32_from("children", children)};
  arrays.types = types_from(types, arrays.child_offsets.empty() ? 0 : arrays.child_offsets.size() - 1);
  return make_graphs(type_names, std::move(arrays), ports_from("port", ports, copy),
                     ports_from("edge port", edge_ports, true));
}

PyGraphs graphs_from_edges(nb::handle sizes, nb::handle child, nb::handle parent, nb::handle types,
                           const Names& type_names, const Ports& ports, const Ports& edge_ports, bool copy) {
  const auto counts = int64_from("sizes", sizes), from = int64_from("child", child), to = int64_from("parent", parent);
  GroupedEdges grouped = group_edges({counts, from, to});
  PortArrays of_edges = ports_from("edge port", edge_ports, true);
  order_by_slots(of_edges, grouped.edges);
  GraphArrays arrays{.sample_begin = std::move(grouped.sample_begin),
                     .child_offsets = std::move(grouped.child_offsets),
                     .children = std::move(grouped.children)};
  arrays.types = types_from(types, arrays.child_offsets.size() - 1);
  return make_graphs(type_names, std::move(arrays), ports_from("port", ports, copy), std::move(of_edges));
}

}  // namespace cavs::python
