#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cavs/graph.h"
#include "declare/network.h"
#include "graphs/topology.h"
#include "ir/builder.h"
#include "ir/presence.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

using Ids = std::vector<std::int32_t>;

std::int32_t known_position(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::int32_t>(std::ranges::find(names, name) - names.begin());
}

bool has_node(const Function& f, OpId op, const std::string& name) {
  return std::ranges::any_of(f.nodes, [&](const Node& node) { return node.is(op) && node.attribute_name() == name; });
}

/// Tables that do not depend on the sample: for each vertex function, the types of vertices that it runs over, the
/// functions from whose vertices it gathers, and its input ports.
class NetworkTables {
 public:
  NetworkTables(const Model& model, const GraphSchema& schema, std::string_view output)
      : source(schema), functions(model.functions()) {
    resolve_states(functions, true);
    network = find_network(model, functions);
    find_types();
    find_families();
    find_ports();
    for (const Function& f : functions)
      predicts.push_back(has_node(f, OpId::kPush, std::string(output)) && !is_connected({f.name, std::string(output)}));
  }

  std::int32_t size() const { return static_cast<std::int32_t>(functions.size()); }
  bool runs_over(std::int32_t f, std::int32_t type) const { return over[f][type] != 0; }
  const std::string& name(std::int32_t f) const { return functions[f].name; }

  GraphSchema source;
  std::vector<Function> functions;
  Network network;
  std::vector<std::vector<char>> over;  // [functions][types of the data]: true if the function runs over the type
  std::vector<Ids> family;  // [functions][types of the data]: see find_families(); -1 for none; kUnclear for several
  std::vector<Ids> index_ports, float_ports;  // [functions]: ports of the data that the vertices of the function get
  std::vector<char> outside;                  // [functions]: true if the function pushes an output of the network
  std::vector<char> predicts;                 // [functions]: true if the function pushes the prediction
  Ids row_ports;  // [connections]: position of the index port whose integers give the rows; else -1
  static constexpr std::int32_t kUnclear = -2;

 private:
  void find_types() {
    const std::vector<std::string_view> known(source.types.begin(), source.types.end());
    std::vector<char> any(source.types.size(), 0);
    for (const Function& f : functions) {
      over.emplace_back(source.types.size(), 0);
      for (const std::string& type : types_over(f)) {
        const std::int32_t at = known_position(source.types, type);
        user_check(at < std::ssize(source.types),
                   "vertex function '{}' runs over vertices of type '{}', but the data have none: use other data, or "
                   "another model; {}",
                   f.name, type, suggest(type, known));
        over.back()[at] = any[at] = 1;
      }
    }
    for (std::size_t t = 0; t < any.size(); ++t)
      user_check(any[t] != 0, "no vertex function runs over vertices of type '{}', which the data have; expected one",
                 source.types[t]);
  }

  /// For each function f and each type of child vertices in the data, finds the function that scatters the states that
  /// f gathers: f itself, or else the only function in the direction of f that scatters all of these states.
  void find_families() {
    for (std::int32_t f = 0; f < size(); ++f) {
      family.emplace_back(source.types.size(), -1);
      if (is_static(functions[f])) continue;
      for (std::int32_t t = 0; t < std::ssize(source.types); ++t) {
        for (std::int32_t g = 0; g < size() && !runs_over(f, t); ++g)
          if (runs_over(g, t) && gives(g, f)) family[f][t] = family[f][t] == -1 ? g : kUnclear;
        if (runs_over(f, t)) family[f][t] = f;
      }
    }
  }

  bool gives(std::int32_t g, std::int32_t f) const {
    return functions[g].reverse == functions[f].reverse &&
           std::ranges::all_of(functions[f].nodes, [&](const Node& node) {
             return !is_gather(node) || has_node(functions[g], OpId::kScatter, node.attribute_name());
           });
  }

  void find_ports() {
    for (std::int32_t f = 0; f < size(); ++f) {
      outside.push_back(std::ranges::any_of(functions[f].nodes, [&](const Node& node) {
        return node.is(OpId::kPush) && !is_connected({name(f), node.attribute_name()});
      }));
      index_ports.emplace_back();
      float_ports.emplace_back();
      const auto reads = [&, f](OpId op, const std::string& port) {
        return outside[f] != 0 || has_node(functions[f], op, port) ||
               has_node(functions[f], OpId::kPullIndex, presence_of(port));
      };
      for (std::int32_t p = 0; p < std::ssize(source.index_ports); ++p)
        if (reads(OpId::kPullIndex, source.index_ports[p])) index_ports[f].push_back(p);
      for (std::int32_t p = 0; p < std::ssize(source.float_ports); ++p)
        if (reads(OpId::kPull, source.float_ports[p].name)) float_ports[f].push_back(p);
    }
    const std::vector<std::string_view> known(source.index_ports.begin(), source.index_ports.end());
    for (const Connection& c : network.connections) {
      const std::string& port = c.rows.port;
      row_ports.push_back(port.empty() ? -1 : known_position(source.index_ports, port));
      user_check(row_ports.back() < std::ssize(source.index_ports),
                 "connection {} uses rows of '{}', but the data have no such integers; {}", to_string(c), port,
                 suggest(port, known));
    }
  }

  bool is_connected(const FunctionPort& push) const {
    return std::ranges::any_of(network.connections, [&](const Connection& c) { return c.from == push; });
  }
};

/// Builds the graph of one sample.
class SampleNetwork {
 public:
  SampleNetwork(const NetworkTables& tables, const InputGraph& sample)
      : tables_(tables), sample_(sample), size_(static_cast<std::int32_t>(sample.types.size())) {
    number_vertices();
    reverse_edges();
    roots_.resize(tables.size());
  }

  BuiltGraph build() {
    InputGraph& graph = built_.graph;
    graph.child_offsets.push_back(0);
    for (std::int32_t f = 0; f < tables_.size(); ++f)
      for (const std::int32_t v : vertices_[f]) {
        add_children(f, v);
        graph.types.push_back(f);
        graph.child_offsets.push_back(std::ssize(graph.children));
      }
    add_input();
    find_outputs();
    return std::move(built_);
  }

 private:
  void number_vertices() {
    std::int32_t next = 0;
    for (std::int32_t f = 0; f < tables_.size(); ++f) {
      at_.emplace_back(size_, -1);
      vertices_.emplace_back();
      for (std::int32_t v = 0; v < size_; ++v)
        if (tables_.runs_over(f, sample_.types[v])) {
          at_[f][v] = next++;
          vertices_[f].push_back(v);
        }
    }
  }

  std::span<const std::int32_t> children(std::int32_t v) const {
    const std::int32_t begin = sample_.child_offsets[v];
    return std::span(sample_.children).subspan(begin, sample_.child_offsets[v + 1] - begin);
  }

  void reverse_edges() {
    parents_.resize(size_);
    parent_slots_.resize(size_);
    for (std::int32_t v = 0; v < size_; ++v)
      for (std::int32_t k = sample_.child_offsets[v]; k < sample_.child_offsets[v + 1]; ++k)
        if (const std::int32_t child = sample_.children[k]; child >= 0) {
          parents_[child].push_back(v);
          parent_slots_[child].push_back(k);
        }
  }

  std::span<const std::int32_t> own(std::int32_t f, std::int32_t v) const {
    return tables_.functions[f].reverse ? std::span<const std::int32_t>(parents_[v]) : children(v);
  }

  /// Returns the child slot, in the sample, of element k of own(f, v).
  std::int32_t own_slot(std::int32_t f, std::int32_t v, std::size_t k) const {
    return tables_.functions[f].reverse ? parent_slots_[v][k] : sample_.child_offsets[v] + static_cast<std::int32_t>(k);
  }

  /// Returns the vertex of the built graph from which f gathers the states of vertex `child` of the data; -1 if `child`
  /// is absent.
  std::int32_t own_child(std::int32_t f, std::int32_t v, std::int32_t child) const {
    if (child < 0) return -1;
    const std::int32_t type = sample_.types[child], g = tables_.family[f][type];
    user_check(
        g >= 0,
        "vertex {} ('{}') reads vertex {} of type '{}', {} scatters the states that it gathers; expected one vertex "
        "function over '{}' that does",
        v, tables_.name(f), child, tables_.source.types[type],
        g == NetworkTables::kUnclear ? "for which more than one vertex function" : "for which no vertex function",
        tables_.source.types[type]);
    return at_[g][child];
  }

  void add_children(std::int32_t f, std::int32_t v) {
    const NetworkSlots& slots = tables_.network.slots[f];
    Ids& out = built_.graph.children;
    for (const ConnectedPull& pull : slots.rows) out.push_back(connected_row(f, v, pull));
    if (!is_static(tables_.functions[f])) {
      const auto mine = own(f, v);
      user_check(slots.all_own || std::ssize(mine) <= slots.own,
                 "vertex {} has {} {}, but vertex function '{}' gathers {}; use children() for any number of them", v,
                 mine.size(), tables_.functions[f].reverse ? "parents" : "children", tables_.name(f), slots.own);
      for (std::size_t k = 0; k < mine.size(); ++k) {
        slots_.resize(out.size(), -1);
        out.push_back(own_child(f, v, mine[k]));
        slots_.push_back(own_slot(f, v, k));
      }
      if (slots.all) out.insert(out.end(), slots.own - mine.size(), -1);
    }
    if (slots.all) add_all_rows(*slots.all);
  }

  /// Returns the vertex of the built graph whose row a pull reads at vertex v of the data; -1 if there is none.
  std::int32_t connected_row(std::int32_t f, std::int32_t v, const ConnectedPull& pull) {
    std::int32_t row = -1;
    for (const std::int32_t c : pull.connections) {
      const std::int32_t from = tables_.network.from[c];
      switch (tables_.network.connections[c].rows.kind) {
        case RowMap::Kind::kSame:
          row = std::max(row, at_[from][v]);
          break;
        case RowMap::Kind::kStart:
          if (std::ranges::any_of(own(f, v), [](std::int32_t child) { return child >= 0; })) break;
          [[fallthrough]];
        case RowMap::Kind::kRoot:
          row = std::max(row, root(from, c));
          break;
        case RowMap::Kind::kPort:
          row = std::max(row, given(from, v, c));
          break;
        case RowMap::Kind::kAll:
          CAVS_ASSERT(false);
      }
    }
    return row;
  }

  std::string name(std::int32_t c) const { return "connection " + to_string(tables_.network.connections[c]); }

  /// Returns the only vertex of function `from` that is no other vertex's child; -1 if the function has no vertices.
  std::int32_t root(std::int32_t from, std::int32_t c) {
    if (!roots_[from]) roots_[from] = find_root(from, c);
    return *roots_[from];
  }

  std::int32_t find_root(std::int32_t from, std::int32_t c) const {
    const bool reverse = tables_.functions[from].reverse;
    std::int32_t found = -1;
    for (const std::int32_t v : vertices_[from]) {
      if (reverse ? std::ranges::any_of(children(v), [](std::int32_t child) { return child >= 0; })
                  : !parents_[v].empty())
        continue;
      user_check(found < 0,
                 "{} uses the root of '{}', but the sample has several (vertices {} and {}); expected one root, or "
                 "RowMap::all()",
                 name(c), tables_.name(from), found, v);
      found = v;
    }
    return found < 0 ? -1 : at_[from][found];
  }

  std::int32_t given(std::int32_t from, std::int32_t v, std::int32_t c) const {
    const std::int32_t at = sample_.index_pulls[tables_.row_ports[c]][v];
    if (at == -1) return -1;
    user_check(at >= 0 && at < size_, "{}: '{}' of vertex {} is {}; expected -1 (none), or a vertex, 0 to {}", name(c),
               tables_.source.index_ports[tables_.row_ports[c]], v, at, size_ - 1);
    return at_[from][at];
  }

  void add_all_rows(const ConnectedPull& pull) {
    Ids& out = built_.graph.children;
    for (std::int32_t v = 0; v < size_; ++v)
      for (const std::int32_t c : pull.connections)
        if (const std::int32_t row = at_[tables_.network.from[c]][v]; row >= 0) out.push_back(row);
  }

  void add_input() {
    InputGraph& graph = built_.graph;
    const std::size_t vertices = graph.types.size();
    graph.index_pulls.assign(tables_.source.index_ports.size(), Ids(vertices, -1));
    for (std::size_t p = 0; p < tables_.source.float_ports.size(); ++p) {
      graph.float_pulls.emplace_back(vertices * tables_.source.float_ports[p].width);
      graph.float_present.emplace_back(vertices, 0);
    }
    for (std::int32_t f = 0; f < tables_.size(); ++f)
      for (const std::int32_t v : vertices_[f]) {
        for (const std::int32_t p : tables_.index_ports[f]) graph.index_pulls[p][at_[f][v]] = sample_.index_pulls[p][v];
        for (const std::int32_t p : tables_.float_ports[f]) copy_numbers(p, v, at_[f][v]);
      }
    add_edge_input();
  }

  /// Copies the input of the data's edges. Slots that connections add have no input.
  void add_edge_input() {
    InputGraph& graph = built_.graph;
    const std::size_t edges = graph.children.size();
    slots_.resize(edges, -1);
    for (const Ids& port : sample_.edge_index_pulls) {
      Ids& to = graph.edge_index_pulls.emplace_back(edges, -1);
      for (std::size_t k = 0; k < edges; ++k)
        if (slots_[k] >= 0) to[k] = port[slots_[k]];
    }
    for (std::size_t p = 0; p < sample_.edge_float_pulls.size(); ++p) {
      const std::int64_t width = tables_.source.edge_float_ports[p].width;
      const bool all = sample_.edge_float_present.empty() || sample_.edge_float_present[p].empty();
      std::vector<float>& to = graph.edge_float_pulls.emplace_back(edges * width);
      std::vector<std::uint8_t>& present = graph.edge_float_present.emplace_back(edges, 0);
      for (std::size_t k = 0; k < edges; ++k) {
        const std::int32_t slot = slots_[k];
        if (slot < 0 || (!all && sample_.edge_float_present[p][slot] == 0)) continue;
        std::copy_n(sample_.edge_float_pulls[p].begin() + slot * width, width, to.begin() + k * width);
        present[k] = 1;
      }
    }
  }

  void copy_numbers(std::int32_t p, std::int32_t from, std::int32_t to) {
    const bool all = sample_.float_present.empty() || sample_.float_present[p].empty();
    if (!all && sample_.float_present[p][from] == 0) return;
    const std::int64_t width = tables_.source.float_ports[p].width;
    std::copy_n(sample_.float_pulls[p].begin() + from * width, width, built_.graph.float_pulls[p].begin() + to * width);
    built_.graph.float_present[p][to] = 1;
  }

  /// For each vertex of the data, finds the vertex of the built graph that predicts: of the first function that does.
  void find_outputs() {
    built_.outputs.assign(size_, -1);
    for (std::int32_t f = tables_.size(); f-- > 0;)
      for (const std::int32_t v : vertices_[f])
        if (tables_.predicts[f] != 0) built_.outputs[v] = at_[f][v];
  }

  const NetworkTables& tables_;
  const InputGraph& sample_;
  const std::int32_t size_;
  std::vector<Ids> at_;            // [functions][vertices of the sample]: vertex of the built graph, or -1
  std::vector<Ids> vertices_;      // [functions]: vertices of the sample, ascending
  std::vector<Ids> parents_;       // [vertices of the sample]: parents in the sample, ascending
  std::vector<Ids> parent_slots_;  // as parents_: child slot of the parent that has the vertex
  Ids slots_;                      // [child slots of the built graph]: slot of the sample, or -1
  std::vector<std::optional<std::int32_t>> roots_;  // [functions]: see root(); set by its first call
  BuiltGraph built_;
};

}  // namespace

GraphBuilder network_builder(const Model& model, const GraphSchema& source, std::string_view output) {
  const auto tables = std::make_shared<const NetworkTables>(model, source, output);
  return {.name = "network",
          .doc = "the graphs of the vertex functions of a network",
          .source = source,
          .target = {.types = model.types(),
                     .index_ports = source.index_ports,
                     .float_ports = source.float_ports,
                     .edge_index_ports = source.edge_index_ports,
                     .edge_float_ports = source.edge_float_ports,
                     .connected = true},
          .build = [tables](const InputGraph& sample) { return SampleNetwork(*tables, sample).build(); }};
}

}  // namespace cavs::inline v0_1
