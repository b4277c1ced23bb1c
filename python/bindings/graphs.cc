#include "graphs.h"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>

#include "cavs/graph.h"
#include "support/check.h"

namespace cavs::python {

using namespace nb::literals;

std::shared_ptr<const GraphSet> graphs_for(const Model& model, const std::string& graph_builder,
                                           const std::shared_ptr<const GraphSet>& graphs) {
  if (graphs->schema().connected) return graphs;
  const auto builder = graph_builder_for(graph_builder, &model, graphs->schema());
  if (!builder) return graphs;
  return std::make_shared<GraphSet>(build_graphs(*graphs, *builder));
}

PyGraphs select_samples(const PyGraphs& graphs, const std::vector<std::int64_t>& samples) {
  const GraphSet& all = *graphs.set;
  auto set = std::make_shared<GraphSet>(all.schema(), all.limits());
  for (const std::int64_t asked : samples) {
    const std::int64_t s = asked < 0 ? asked + all.size() : asked;
    if (s < 0 || s >= all.size())
      throw nb::index_error(fmt::format("sample {} of {}: out of range", asked, all.size()).c_str());
    set->add(sample_of(all, static_cast<std::int32_t>(s)), fmt::format("sample {}", s));
  }
  return {set};
}

PyGraphs join_graphs(const std::vector<PyGraphs>& parts) {
  user_check(!parts.empty(), "there are no graphs to join; expected at least one set");
  const nb::gil_scoped_release release;
  auto set = std::make_shared<GraphSet>(parts.front().set->schema(), parts.front().set->limits());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const GraphSet& part = *parts[p].set;
    parts[p].expect_unchanged();
    user_check(part.schema() == set->schema(), "set {} has other types or ports than set 0; expected the same in all",
               p);
    for (std::int32_t s = 0; s < part.size(); ++s)
      set->add(sample_of(part, s), fmt::format("sample {} of set {}", s, p));
  }
  return {set};
}

namespace {

template <typename T>
nb::object copy_of(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()), {values.size()});
}

/// Returns an array of float32 [rows, width], with NaN in absent rows.
nb::object rows_of(std::span<const float> values, std::span<const std::uint8_t> present, std::int32_t port_width) {
  const auto width = static_cast<std::size_t>(port_width);
  std::vector<float> copy(values.begin(), values.end());
  for (std::size_t row = 0; row < present.size(); ++row)
    if (present[row] == 0)
      std::fill_n(copy.begin() + static_cast<std::ptrdiff_t>(row * width), width,
                  std::numeric_limits<float>::quiet_NaN());
  return to_numpy(std::move(copy), {present.size(), width});
}

/// Returns a copy of the values of a port of vertices or edges.
nb::object port_array(const PyGraphs& self, const std::string& name) {
  const GraphSet& set = *self.set;
  const GraphSchema& schema = set.schema();
  const auto at = [&](const std::vector<std::string>& ports) {
    return static_cast<std::size_t>(std::ranges::find(ports, name) - ports.begin());
  };
  const auto float_at = [&](const std::vector<GraphSchema::FloatPort>& ports) {
    return static_cast<std::size_t>(std::ranges::find(ports, name, &GraphSchema::FloatPort::name) - ports.begin());
  };
  if (const auto i = at(schema.index_ports); i < schema.index_ports.size()) return copy_of(set.index_pulls(i));
  if (const auto i = at(schema.edge_index_ports); i < schema.edge_index_ports.size())
    return copy_of(set.edge_index_pulls(i));
  if (const auto i = float_at(schema.float_ports); i < schema.float_ports.size())
    return rows_of(set.float_pulls(i), set.float_present(i), schema.float_ports[i].width);
  if (const auto i = float_at(schema.edge_float_ports); i < schema.edge_float_ports.size())
    return rows_of(set.edge_float_pulls(i), set.edge_float_present(i), schema.edge_float_ports[i].width);
  throw nb::key_error(fmt::format("the graphs have no port '{}'", name).c_str());
}

std::vector<std::string> names_of(std::vector<std::string> names, const std::vector<GraphSchema::FloatPort>& floats) {
  for (const auto& port : floats) names.push_back(port.name);
  return names;
}
std::vector<std::string> vertex_ports(const PyGraphs& self) {
  return names_of(self.set->schema().index_ports, self.set->schema().float_ports);
}
std::vector<std::string> edge_ports(const PyGraphs& self) {
  return names_of(self.set->schema().edge_index_ports, self.set->schema().edge_float_ports);
}

using SampleNumbers = std::variant<std::int64_t, nb::slice, std::vector<std::int64_t>>;

/// True for a mask of booleans, which must not be read as sample numbers 0 and 1.
bool is_mask(nb::handle asked) {
  if (nb::hasattr(asked, "dtype"))
    return std::string_view(nb::repr(asked.attr("dtype")).c_str()).find("bool") != std::string_view::npos;
  if (nb::isinstance<nb::list>(asked) || nb::isinstance<nb::tuple>(asked))
    for (const nb::handle number : asked)
      if (PyBool_Check(number.ptr()) != 0) return true;
  return PyBool_Check(asked.ptr()) != 0;
}

PyGraphs samples_at(const PyGraphs& self, nb::handle asked) {
  SampleNumbers numbers;
  if (is_mask(asked) || !nb::try_cast(asked, numbers))
    throw nb::type_error(
        fmt::format("graphs are indexed with {}, of type {}; expected the name of a port, or samples: a "
                    "number, a range, or a list of numbers (for a mask: numpy.flatnonzero(mask))",
                    nb::repr(asked).c_str(), nb::type_name(asked.type()).c_str())
            .c_str());
  if (const auto* sample = std::get_if<std::int64_t>(&numbers)) return select_samples(self, {*sample});
  if (const auto* samples = std::get_if<std::vector<std::int64_t>>(&numbers)) return select_samples(self, *samples);
  const auto [start, stop, step, count] =
      std::get<nb::slice>(numbers).compute(static_cast<std::size_t>(self.set->size()));
  std::vector<std::int64_t> samples(count);
  for (std::size_t i = 0; i < count; ++i)
    samples[i] = static_cast<std::int64_t>(start) + static_cast<std::int64_t>(i) * static_cast<std::int64_t>(step);
  return select_samples(self, samples);
}

template <typename T>
nb::bytes bytes_of(const std::vector<T>& values) {
  return nb::bytes(values.data(), values.size() * sizeof(T));
}

template <typename T>
std::vector<T> values_of(nb::handle item) {
  const auto bytes = nb::cast<nb::bytes>(item);
  user_check(bytes.size() % sizeof(T) == 0, "pickled graphs have an array of {} bytes; expected a multiple of {}",
             bytes.size(), sizeof(T));
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <typename T>
nb::list all_bytes(const std::vector<std::vector<T>>& ports) {
  nb::list all;
  for (const auto& port : ports) all.append(bytes_of(port));
  return all;
}

template <typename T>
std::vector<std::vector<T>> all_values(nb::handle items) {
  std::vector<std::vector<T>> ports;
  for (const nb::handle item : nb::cast<nb::list>(items)) ports.push_back(values_of<T>(item));
  return ports;
}

nb::list float_ports_to_list(const std::vector<GraphSchema::FloatPort>& ports) {
  nb::list list;
  for (const auto& port : ports) list.append(nb::make_tuple(port.name, port.width));
  return list;
}

std::vector<GraphSchema::FloatPort> float_ports_from_list(nb::handle list) {
  std::vector<GraphSchema::FloatPort> ports;
  for (const nb::handle port : nb::cast<nb::list>(list))
    ports.push_back({nb::cast<std::string>(port[0]), nb::cast<std::int32_t>(port[1])});
  return ports;
}

}  // namespace

nb::tuple graphs_to_state(const PyGraphs& graphs) {
  graphs.expect_unchanged();
  const GraphSchema& s = graphs.set->schema();
  const GraphArrays a = graphs.set->to_arrays();
  return nb::make_tuple(
      nb::make_tuple(s.types, s.index_ports, float_ports_to_list(s.float_ports), s.edge_index_ports,
                     float_ports_to_list(s.edge_float_ports), s.connected),
      nb::make_tuple(bytes_of(a.sample_begin), bytes_of(a.types), bytes_of(a.child_offsets), bytes_of(a.children)),
      nb::make_tuple(all_bytes(a.index_pulls), all_bytes(a.float_pulls), all_bytes(a.float_present)),
      nb::make_tuple(all_bytes(a.edge_index_pulls), all_bytes(a.edge_float_pulls), all_bytes(a.edge_float_present)));
}

PyGraphs graphs_from_state(const nb::tuple& state) {
  const nb::handle s = state[0], flat = state[1], v = state[2], e = state[3];
  GraphSchema schema{.types = nb::cast<std::vector<std::string>>(s[0]),
                     .index_ports = nb::cast<std::vector<std::string>>(s[1]),
                     .float_ports = float_ports_from_list(s[2]),
                     .edge_index_ports = nb::cast<std::vector<std::string>>(s[3]),
                     .edge_float_ports = float_ports_from_list(s[4]),
                     .connected = nb::cast<bool>(s[5])};
  GraphArrays arrays{.sample_begin = values_of<std::int64_t>(flat[0]),
                     .types = values_of<std::int32_t>(flat[1]),
                     .child_offsets = values_of<std::int64_t>(flat[2]),
                     .children = values_of<std::int32_t>(flat[3]),
                     .index_pulls = all_values<std::int32_t>(v[0]),
                     .float_pulls = all_values<float>(v[1]),
                     .float_present = all_values<std::uint8_t>(v[2]),
                     .edge_index_pulls = all_values<std::int32_t>(e[0]),
                     .edge_float_pulls = all_values<float>(e[1]),
                     .edge_float_present = all_values<std::uint8_t>(e[2])};
  return {std::make_shared<GraphSet>(GraphSet::from_arrays(std::move(schema), std::move(arrays)))};
}

void bind_graphs(nb::module_& m) {
  const char* from_arrays_doc =
      "Makes graphs from flat arrays and checks them. V is the number of vertices in all samples.\n\n"
      "sample_begin: [samples + 1]; sample s has the vertices sample_begin[s]:sample_begin[s + 1].\n"
      "child_offsets: [V + 1]; vertex v has the children children[child_offsets[v]:child_offsets[v + 1]].\n"
      "children: vertex numbers within the sample, from 0; -1 is an absent child.\n"
      "types: [V], positions in type_names; None if all vertices have one type.\n"
      "ports: name -> integers [V], where -1 is absent, or floats [V, width], where a row of NaN is absent.\n"
      "edge_ports: like ports, with one row per entry of `children`.\n"
      "copy: False reads float ports in place if they are contiguous NumPy arrays of float32 without absent rows, and "
      "makes these arrays read-only. All other arrays are copied.\n\n"
      "Raises Error for a cycle, a number out of range or not finite, or an array of another type or length; the "
      "message says where.";
  const char* from_edges_doc =
      "Makes graphs from edges child[e] -> parent[e]. The children of a vertex are in the order of the edges.\n\n"
      "sizes: number of vertices of each sample.\n"
      "child, parent: vertex numbers, counted from 0 through all samples.\n"
      "edge_ports: like ports, with one row per edge.\n"
      "types, type_names, ports, copy: as in from_arrays, with the same errors.";
  nb::class_<PyGraphs>(m, "Graphs",
                       "Input graphs of one or more samples. They are checked, immutable, and can be pickled.")
      .def_static("from_arrays", &graphs_from_arrays, "sample_begin"_a, "child_offsets"_a, "children"_a, nb::kw_only(),
                  "types"_a = nb::none(), "type_names"_a = nb::none(), "ports"_a = Ports{}, "edge_ports"_a = Ports{},
                  "copy"_a = true,
                  nb::sig("def from_arrays(sample_begin: ArrayLike, child_offsets: ArrayLike, children: ArrayLike, *, "
                          "types: ArrayLike | None = None, type_names: Sequence[str] | None = None, "
                          "ports: Mapping[str, ArrayLike] = ..., edge_ports: Mapping[str, ArrayLike] = ..., "
                          "copy: bool = True) -> Graphs"),
                  from_arrays_doc)
      .def_static("from_edges", &graphs_from_edges, "sizes"_a, "child"_a, "parent"_a, nb::kw_only(),
                  "types"_a = nb::none(), "type_names"_a = nb::none(), "ports"_a = Ports{}, "edge_ports"_a = Ports{},
                  "copy"_a = true,
                  nb::sig("def from_edges(sizes: ArrayLike, child: ArrayLike, parent: ArrayLike, *, "
                          "types: ArrayLike | None = None, type_names: Sequence[str] | None = None, "
                          "ports: Mapping[str, ArrayLike] = ..., edge_ports: Mapping[str, ArrayLike] = ..., "
                          "copy: bool = True) -> Graphs"),
                  from_edges_doc)
      .def_static("concat", &join_graphs, "parts"_a,
                  "Joins several sets of graphs with the same types and ports into one.\n\n"
                  "Raises Error if there are no sets, or if one has other types or ports than the first.")
      .def("__len__", [](const PyGraphs& self) { return self.set->size(); })
      .def("__getitem__", &port_array, "port"_a, nb::sig("def __getitem__(self, port: str, /) -> NDArray[Any]"),
           "A copy of a port's values, with one row per vertex or per child slot: int32 [rows], or float32 "
           "[rows, width] with NaN where a row is absent.")
      .def("__getitem__", &samples_at, "samples"_a,
           nb::sig("def __getitem__(self, samples: int | Columns | Sequence[int], /) -> Graphs"),
           "The graphs of the selected samples, in this order.")
      .def("__getstate__", &graphs_to_state, nb::sig("def __getstate__(self) -> tuple[Any, ...]"))
      .def(
          "__setstate__",
          [](PyGraphs& self, const nb::tuple& state) { new (&self) PyGraphs(graphs_from_state(state)); }, "state"_a,
          nb::sig("def __setstate__(self, state: tuple[Any, ...], /) -> None"))
      .def_prop_ro(
          "vertices", [](const PyGraphs& self) { return self.set->vertices(); }, "Number of vertices in all samples.")
      .def_prop_ro(
          "edges", [](const PyGraphs& self) { return self.set->edges(); },
          "Number of child slots in all samples, absent children included.")
      .def_prop_ro(
          "type_names", [](const PyGraphs& self) { return self.set->schema().types; },
          "Names of the vertex types; `types` has positions in this list.")
      .def_prop_ro("ports", &vertex_ports, "Names of the ports of vertices.")
      .def_prop_ro("edge_ports", &edge_ports, "Names of the ports of edges.")
      .def_prop_ro(
          "sample_begin", [](const PyGraphs& self) { return copy_of(self.set->vertex_begin()); },
          nb::sig("def sample_begin(self) -> NDArray[numpy.int64]"),
          "[samples + 1]: sample s has the vertices sample_begin[s]:sample_begin[s + 1].")
      .def_prop_ro(
          "types", [](const PyGraphs& self) { return copy_of(self.set->types()); },
          nb::sig("def types(self) -> NDArray[numpy.int32]"),
          "[V]: the type of each vertex, as a position in type_names.")
      .def_prop_ro(
          "child_offsets", [](const PyGraphs& self) { return copy_of(self.set->child_begin()); },
          nb::sig("def child_offsets(self) -> NDArray[numpy.int64]"),
          "[V + 1]: vertex v has the children children[child_offsets[v]:child_offsets[v + 1]].")
      .def_prop_ro(
          "children", [](const PyGraphs& self) { return copy_of(self.set->children()); },
          nb::sig("def children(self) -> NDArray[numpy.int32]"),
          "Vertex numbers within the sample; -1 is an absent child.")
      .def("__repr__", [](const PyGraphs& self) {
        return fmt::format("<cavs.Graphs: {} samples, {} vertices, ports {}>", self.set->size(), self.set->vertices(),
                           nb::repr(nb::cast(vertex_ports(self))).c_str());
      });
}

}  // namespace cavs::python
