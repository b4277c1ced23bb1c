#include "data/jsonl_graphs.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_map>

#include "data/text.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

using Port = JsonlLine::Port;
using Kind = JsonlLine::Port::Kind;

std::int32_t vertices_of(const JsonlLine& graph) { return static_cast<std::int32_t>(graph.child_offsets.size()) - 1; }

template <typename T>
void append(std::vector<T>& to, std::vector<T>&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// Turns a port whose entries are all absent into a float port.
void make_float(Port& port, std::int32_t width) {
  port.kind = Kind::kFloat;
  port.width = width;
  port.present.assign(port.indices.size(), 0);
  port.indices.clear();
}

/// Returns the kind of a port that has entries of both kinds; nullopt if the kinds exclude each other.
std::optional<Kind> common_kind(Kind a, Kind b) {
  if (a == b || b == Kind::kUnknown) return a;
  if (a == Kind::kUnknown) return b;
  if (a == Kind::kFloat || b == Kind::kFloat) return std::nullopt;
  return a == Kind::kNone ? std::optional(b) : b == Kind::kNone ? std::optional(a) : std::nullopt;
}

void append_port(Port& to, Port&& from, const std::string& where) {
  const std::optional<Kind> kind = common_kind(to.kind, from.kind);
  user_check(kind.has_value(),
             "{}: '{}' has another form in one graph than in earlier graphs; expected only numbers, only names or only "
             "rows of numbers",
             where, excerpt(to.name));
  if (kind == Kind::kFloat) {
    const std::int32_t width = to.kind == Kind::kFloat ? to.width : from.width;
    for (Port* port : {&to, &from})
      if (port->kind != Kind::kFloat) make_float(*port, width);
    user_check(from.width == width,
               "{}: port '{}' has rows of {} numbers in one graph; expected {} as in earlier graphs", where,
               excerpt(to.name), from.width, width);
  }
  to.kind = *kind;
  append(to.indices, std::move(from.indices));
  append(to.rows, std::move(from.rows));
  append(to.present, std::move(from.present));
}

/// Appends absent rows until the port has `rows` rows.
void pad(Port& port, std::size_t rows) {
  if (port.size() >= rows) return;
  port.kind == Kind::kFloat ? port.present.resize(rows, 0) : port.indices.resize(rows, -1);
}

class Joiner {
 public:
  explicit Joiner(const std::string& where) : where_(where) {}

  void add(JsonlLine&& graph, bool first) {
    const std::int32_t before = vertices_of(whole_);
    const std::int64_t slots = whole_.child_offsets.back();
    user_check(first || graph.has_types == whole_.has_types,
               "{}: only some of its graphs have the key 'types'; expected the key in all of them or in none", where_);
    whole_.has_types = graph.has_types;
    whole_.has_children = true;
    add_roots(graph, before);
    append(whole_.types, std::move(graph.types));
    for (const std::int32_t child : graph.children) whole_.children.push_back(child < 0 ? child : before + child);
    for (std::size_t v = 1; v < graph.child_offsets.size(); ++v)
      whole_.child_offsets.push_back(slots + graph.child_offsets[v]);
    if (!graph.has_label) graph.label.indices.assign(graph.child_offsets.size() - 1, -1);
    whole_.has_label |= graph.has_label;
    append_port(whole_.label, std::move(graph.label), where_);
    add_ports(graph.ports, before, vertices_of(whole_), ports_, whole_.ports);
    add_ports(graph.edge_ports, slots, whole_.child_offsets.back(), edge_ports_, whole_.edge_ports);
  }

  const std::vector<std::int32_t>& roots() const { return roots_; }
  JsonlLine take() { return std::move(whole_); }

 private:
  void add_roots(const JsonlLine& graph, std::int32_t before) {
    const std::int32_t vertices = vertices_of(graph);
    std::vector<char> is_child(vertices, 0);
    for (const std::int32_t child : graph.children) {
      user_check(child < vertices, "{}: a graph has the child {}; expected one of its own vertices, 0 to {}", where_,
                 child, vertices - 1);
      if (child >= 0) is_child[child] = 1;
    }
    for (std::int32_t v = 0; v < vertices; ++v)
      if (is_child[v] == 0) roots_.push_back(before + v);
  }

  using Positions = std::unordered_map<std::string, std::size_t>;

  /// Appends the ports of one graph. A new port is absent in the earlier graphs, and an earlier port that this graph
  /// lacks is absent in this graph. @param before, rows  number of rows without, and with, this graph
  void add_ports(std::vector<Port>& ports, std::int32_t before, std::int32_t rows, Positions& positions,
                 std::vector<Port>& all) {
    for (Port& port : ports) {
      const auto [known, is_new] = positions.emplace(port.name, all.size());
      if (is_new) all.push_back({.name = port.name, .indices = std::vector<std::int32_t>(before, -1)});
      append_port(all[known->second], std::move(port), where_);
    }
    for (Port& port : all) pad(port, rows);
  }

  const std::string& where_;
  JsonlLine whole_;
  std::vector<std::int32_t> roots_;
  Positions ports_, edge_ports_;
};

/// Checks that each edge port of `top` has an entry for each root, since the roots are the children of `top`.
void check_top_edges(const JsonlLine& top, std::size_t roots, const std::string& where) {
  for (const Port& port : top.edge_ports)
    user_check(port.ends.size() == 1 && static_cast<std::size_t>(port.ends[0]) == roots,
               "{}: top: edge port '{}' has {} arrays with {} entries; expected one array with {} entries, one per "
               "root of the graphs",
               where, excerpt(port.name), port.ends.size(), port.size(), roots);
}

}  // namespace

JsonlLine join_graphs(std::vector<JsonlLine> graphs, std::optional<JsonlLine> top, const std::string& where) {
  user_check(!graphs.empty(), "{}: 'graphs' is empty; expected at least one graph", where);
  Joiner joiner(where);
  for (std::size_t g = 0; g < graphs.size(); ++g) joiner.add(std::move(graphs[g]), g == 0);
  if (!top) return joiner.take();
  const std::vector<std::int32_t> roots = joiner.roots();
  check_top_edges(*top, roots.size(), where);
  joiner.add(std::move(*top), false);
  JsonlLine whole = joiner.take();
  whole.children.insert(whole.children.end(), roots.begin(), roots.end());
  whole.child_offsets.back() = std::ssize(whole.children);
  for (Port& port : whole.edge_ports) pad(port, whole.children.size());
  return whole;
}

}  // namespace cavs::inline v0_1
