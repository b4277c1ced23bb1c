#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>

#include "bindings.h"
#include "cavs/graph_builder.h"
#include "cavs/readers.h"
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

namespace {

using Ports = std::map<std::string, nb::object>;

struct PortArrays {
  std::vector<std::string> index_names;
  std::vector<GraphSchema::FloatPort> float_ports;
  std::vector<std::vector<std::int32_t>> indices;
  std::vector<std::vector<float>> floats;
  std::vector<std::vector<std::uint8_t>> present;
};

/// Rows that are NaN throughout are absent; numbers that are not finite elsewhere are refused by the library.
std::vector<std::uint8_t> find_present(std::vector<float>& values, std::size_t width) {
  std::vector<std::uint8_t> present;
  bool all = true;
  for (std::size_t row = 0; row + width <= values.size(); row += width) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row);
    const auto end = begin + static_cast<std::ptrdiff_t>(width);
    const bool absent = std::all_of(begin, end, [](float x) { return x != x; });
    if (absent) std::fill(begin, end, 0.0F);
    present.push_back(absent ? 0 : 1), all = all && !absent;
  }
  return all ? std::vector<std::uint8_t>{} : present;
}

/// Integers are an index port; floats [rows, width], or [rows] of width 1, a float port.
PortArrays ports_from(const char* what, const Ports& ports) {
  PortArrays out;
  for (const auto& [name, array] : ports) {
    const std::string where = fmt::format("{} '{}'", what, name);
    nb::ndarray<nb::ro, nb::device::cpu> any;
    const bool is_float =
        nb::try_cast(array, any) && any.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Float);
    if (!is_float) {
      out.index_names.push_back(name), out.indices.push_back(int32_from(where, array));
      continue;
    }
    std::vector<std::int64_t> shape;
    out.floats.push_back(floats_from(where, array, shape));
    user_check(
        (shape.size() == 1 || shape.size() == 2) && (shape.size() == 1 || (0 < shape[1] && shape[1] < INT32_MAX)),
        "{} has {} dimensions{}; expected [rows, width], or [rows] of width 1", where, shape.size(),
        shape.size() == 2 ? " and width 0" : "");
    const auto width = static_cast<std::int32_t>(shape.size() == 1 ? 1 : shape[1]);
    out.float_ports.push_back({.name = name, .width = width});
    out.present.push_back(find_present(out.floats.back(), static_cast<std::size_t>(width)));
  }
  return out;
}

PyGraphs make_graphs(const std::vector<std::string>& type_names, GraphArrays arrays, const Ports& ports,
                     const Ports& edge_ports) {
  PortArrays vertices = ports_from("port", ports), edges = ports_from("edge port", edge_ports);
  GraphSchema schema{.types = type_names,
                     .index_ports = std::move(vertices.index_names),
                     .float_ports = std::move(vertices.float_ports),
                     .edge_index_ports = std::move(edges.index_names),
                     .edge_float_ports = std::move(edges.float_ports)};
  arrays.index_pulls = std::move(vertices.indices), arrays.float_pulls = std::move(vertices.floats);
  arrays.float_present = std::move(vertices.present);
  arrays.edge_index_pulls = std::move(edges.indices), arrays.edge_float_pulls = std::move(edges.floats);
  arrays.edge_float_present = std::move(edges.present);
  nb::gil_scoped_release release;
  return {std::make_shared<GraphSet>(GraphSet::from_arrays(std::move(schema), std::move(arrays)))};
}

std::vector<std::string> types_or_default(const std::optional<std::vector<std::string>>& names,
                                          const std::vector<std::int32_t>& types) {
  if (names) return *names;
  user_check(std::ranges::all_of(types, [](auto t) { return t == 0; }),
             "types are given as numbers, but type_names are not; expected type_names=[...], which they count from 0");
  return {"vertex"};
}

PyGraphs from_arrays(nb::handle sample_begin, nb::handle child_offsets, nb::handle children, nb::handle types,
                     const std::optional<std::vector<std::string>>& type_names, const Ports& ports,
                     const Ports& edge_ports) {
  GraphArrays arrays{.sample_begin = int64_from("sample_begin", sample_begin),
                     .child_offsets = int64_from("child_offsets", child_offsets),
                     .children = int32_from("children", children)};
  const std::size_t vertices = arrays.child_offsets.empty() ? 0 : arrays.child_offsets.size() - 1;
  arrays.types = types.is_none() ? std::vector<std::int32_t>(vertices, 0) : int32_from("types", types);
  const std::vector<std::string> names = types_or_default(type_names, arrays.types);
  return make_graphs(names, std::move(arrays), ports, edge_ports);
}

/// Edges from child to parent between vertices that count through all samples; children keep the order of the edges.
PyGraphs from_edges(nb::handle sizes, nb::handle child, nb::handle parent, nb::handle types,
                    const std::optional<std::vector<std::string>>& type_names, const Ports& ports) {
  const auto counts = int64_from("sizes", sizes), from = int64_from("child", child), to = int64_from("parent", parent);
  user_check(from.size() == to.size(), "{} children and {} parents; expected one of each per edge", from.size(),
             to.size());
  GraphArrays arrays;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    user_check(0 < counts[s] && counts[s] <= INT32_MAX, "sizes has {} at position {}; expected at least one vertex",
               counts[s], s);
    arrays.sample_begin.push_back(arrays.sample_begin.back() + counts[s]);
  }
  const std::int64_t vertices = arrays.sample_begin.back();
  user_check(vertices <= 1'000'000'000, "sizes add up to {} vertices, which is too many", vertices);
  const auto sample_of = [&](std::int64_t v) {
    return std::ranges::upper_bound(arrays.sample_begin, v) - arrays.sample_begin.begin() - 1;
  };
  arrays.child_offsets.assign(static_cast<std::size_t>(vertices) + 1, 0);
  for (std::size_t e = 0; e < from.size(); ++e) {
    for (const std::int64_t v : {from[e], to[e]})
      user_check(0 <= v && v < vertices, "edge {} has vertex {}; expected 0 to {}: vertices count through all samples",
                 e, v, vertices - 1);
    user_check(sample_of(from[e]) == sample_of(to[e]),
               "edge {} is between vertices {} and {} of samples {} and {}; "
               "expected both of one sample",
               e, from[e], to[e], sample_of(from[e]), sample_of(to[e]));
    ++arrays.child_offsets[to[e] + 1];
  }
  std::partial_sum(arrays.child_offsets.begin(), arrays.child_offsets.end(), arrays.child_offsets.begin());
  std::vector<std::int64_t> next(arrays.child_offsets.begin(), arrays.child_offsets.end() - 1);
  arrays.children.resize(from.size());
  for (std::size_t e = 0; e < from.size(); ++e)
    arrays.children[next[to[e]]++] = static_cast<std::int32_t>(from[e] - arrays.sample_begin[sample_of(from[e])]);
  arrays.types = types.is_none() ? std::vector<std::int32_t>(vertices, 0) : int32_from("types", types);
  const std::vector<std::string> names = types_or_default(type_names, arrays.types);
  return make_graphs(names, std::move(arrays), ports, {});
}

std::size_t port_at(const std::vector<std::string>& ports, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(ports, name) - ports.begin());
}

/// A copy of a port of vertices: int32 [V], or float32 [V, width], absent rows as NaN.
nb::object port_array(const PyGraphs& self, const std::string& name) {
  const GraphSchema& schema = self.set->schema();
  const auto vertices = static_cast<std::size_t>(self.set->vertices());
  if (const auto i = port_at(schema.index_ports, name); i < schema.index_ports.size()) {
    const auto values = self.set->index_pulls(i);
    return to_numpy(std::vector(values.begin(), values.end()), {vertices});
  }
  for (std::size_t i = 0; i < schema.float_ports.size(); ++i) {
    if (schema.float_ports[i].name != name) continue;
    const auto width = static_cast<std::size_t>(schema.float_ports[i].width);
    const auto values = self.set->float_pulls(i);
    const auto present = self.set->float_present(i);
    std::vector<float> copy(values.begin(), values.end());
    for (std::size_t v = 0; v < vertices; ++v)
      if (present[v] == 0)
        std::fill_n(copy.begin() + static_cast<std::ptrdiff_t>(v * width), width,
                    std::numeric_limits<float>::quiet_NaN());
    return to_numpy(std::move(copy), {vertices, width});
  }
  throw nb::key_error(fmt::format("the graphs have no port '{}' of vertices", name).c_str());
}

template <typename T>
nb::object copy_of(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()), {values.size()});
}

std::vector<std::string> port_names(const GraphSchema& schema) {
  std::vector<std::string> names = schema.index_ports;
  for (const auto& port : schema.float_ports) names.push_back(port.name);
  return names;
}

void bind_graphs_class(nb::module_& m) {
  const char* from_arrays_doc =
      "Graphs from flat arrays, without a loop in Python; they are copied and checked.\n\n"
      "sample_begin: [samples + 1], from 0: sample s has vertices sample_begin[s] to sample_begin[s + 1].\n"
      "child_offsets: [V + 1], from 0: vertex v has children[child_offsets[v]:child_offsets[v + 1]].\n"
      "children: numbers inside of the sample, from 0; -1 is an absent child.\n"
      "types: [V] numbers of type_names; none: all vertices are of one type.\n"
      "ports: name -> integers [V] (-1: absent), or floats [V, width] (a row of NaN: absent).\n"
      "edge_ports: the same with a row for each number of `children`.";
  nb::class_<PyGraphs>(m, "Graphs", "Input graphs, checked and immutable.")
      .def_static("from_arrays", &from_arrays, "sample_begin"_a, "child_offsets"_a, "children"_a, nb::kw_only(),
                  "types"_a = nb::none(), "type_names"_a = nb::none(), "ports"_a = Ports{}, "edge_ports"_a = Ports{},
                  nb::sig("def from_arrays(sample_begin: ArrayLike, child_offsets: ArrayLike, children: ArrayLike, *, "
                          "types: ArrayLike | None = None, type_names: Sequence[str] | None = None, "
                          "ports: Mapping[str, ArrayLike] = ..., edge_ports: Mapping[str, ArrayLike] = ...) -> Graphs"),
                  from_arrays_doc)
      .def_static("from_edges", &from_edges, "sizes"_a, "child"_a, "parent"_a, nb::kw_only(), "types"_a = nb::none(),
                  "type_names"_a = nb::none(), "ports"_a = Ports{},
                  nb::sig("def from_edges(sizes: ArrayLike, child: ArrayLike, parent: ArrayLike, *, "
                          "types: ArrayLike | None = None, type_names: Sequence[str] | None = None, "
                          "ports: Mapping[str, ArrayLike] = ...) -> Graphs"),
                  "Graphs from edges child[e] -> parent[e]; sizes: vertices of each sample. Vertices count from 0 "
                  "through all samples; children are in the order of the edges.")
      .def("__len__", [](const PyGraphs& self) { return self.set->size(); })
      .def_prop_ro("vertices", [](const PyGraphs& self) { return self.set->vertices(); })
      .def_prop_ro(
          "edges", [](const PyGraphs& self) { return self.set->edges(); }, "Child slots.")
      .def_prop_ro("type_names", [](const PyGraphs& self) { return self.set->schema().types; })
      .def_prop_ro("ports", [](const PyGraphs& self) { return port_names(self.set->schema()); })
      .def_prop_ro(
          "sample_begin", [](const PyGraphs& self) { return copy_of(self.set->vertex_begin()); },
          nb::sig("def sample_begin(self) -> NDArray[numpy.int64]"))
      .def_prop_ro(
          "types", [](const PyGraphs& self) { return copy_of(self.set->types()); },
          nb::sig("def types(self) -> NDArray[numpy.int32]"))
      .def_prop_ro(
          "child_offsets", [](const PyGraphs& self) { return copy_of(self.set->child_begin()); },
          nb::sig("def child_offsets(self) -> NDArray[numpy.int64]"))
      .def_prop_ro(
          "children", [](const PyGraphs& self) { return copy_of(self.set->children()); },
          nb::sig("def children(self) -> NDArray[numpy.int32]"))
      .def("__getitem__", &port_array, "port"_a, nb::sig("def __getitem__(self, port: str, /) -> NDArray[Any]"),
           "A copy of a port of vertices: int32 [V], or float32 [V, width] with NaN where a row is absent.")
      .def("__repr__", [](const PyGraphs& self) {
        return fmt::format("<cavs.Graphs: {} samples, {} vertices, ports {}>", self.set->size(), self.set->vertices(),
                           nb::repr(nb::cast(port_names(self.set->schema()))).c_str());
      });
}

PyDataset load(const std::string& spec, std::int64_t limit, std::uint64_t seed, int min_count, int vocabulary,
               int steps, const PyModel* network) {
  const std::optional<Model> copy = network == nullptr ? std::nullopt : std::optional(network->model);
  nb::gil_scoped_release release;
  const DataOptions options{.limit = limit,
                            .seed = seed,
                            .min_count = min_count,
                            .vocabulary = vocabulary,
                            .steps = steps,
                            .network = copy ? &*copy : nullptr};
  return {std::make_shared<Dataset>(load_data(spec, options)), spec};
}

/// A part of the data set, which lives as long as the part.
PyGraphs part_of(const PyDataset& self, const GraphSet Dataset::*part) {
  return {std::shared_ptr<const GraphSet>(self.data, &((*self.data).*part))};
}

}  // namespace

void bind_data(nb::module_& m) {
  bind_graphs_class(m);
  nb::class_<PyDataset>(m, "Dataset", "What load_data reads: graphs, words and names of classes.")
      .def_prop_ro("train", [](const PyDataset& self) { return part_of(self, &Dataset::train); })
      .def_prop_ro(
          "dev", [](const PyDataset& self) { return part_of(self, &Dataset::dev); },
          "Empty where the data have one part only.")
      .def_prop_ro(
          "words", [](const PyDataset& self) { return self.data->words.words(); }, "In the order of their ids.")
      .def_prop_ro(
          "tags", [](const PyDataset& self) { return self.data->tags; }, "Names of the classes, if they have any.")
      .def_prop_ro("classes", [](const PyDataset& self) { return self.data->classes; })
      .def_prop_ro("kind", [](const PyDataset& self) { return self.data->kind; })
      .def_prop_ro("spec", [](const PyDataset& self) { return self.spec; })
      .def(
          "rows", [](const PyDataset& self, const std::string& port) { return self.data->rows(port); }, "index_port"_a,
          "Rows that a lookup table needs for this port: data.rows(\"word\").")
      .def("__repr__", [](const PyDataset& self) {
        return fmt::format("<cavs.Dataset '{}': {} training and {} development samples, {} words, {} classes>",
                           self.spec, self.data->train.size(), self.data->dev.size(), self.data->words.size(),
                           self.data->classes);
      });
  m.def("load_data", &load, "spec"_a, nb::kw_only(), "limit"_a = 0, "seed"_a = 1, "min_count"_a = 1, "vocabulary"_a = 0,
        "steps"_a = 0, "network"_a.none() = nb::none(),
        "Reads or generates what `spec` names, as `cavs train --data` does: \"sst:DIR\", \"listops\", \"jsonl:FILE\", "
        "...");
}

}  // namespace cavs::python
