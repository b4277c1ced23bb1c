#include <algorithm>
#include <limits>
#include <set>

#include "ir/presence.h"
#include "pack/minibatch.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

std::vector<std::string_view> views(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

std::int32_t position(const std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<std::int32_t>(it - names.begin());
}

/// States that the function of one type gathers from each child (`by_slot`, or `of_edges` for children that are edges),
/// and states that it scatters.
struct Needs {
  std::vector<std::set<std::string>> by_slot;  // [child slots] states that gather() reads there
  std::set<std::string> of_edges, scattered;
  std::int32_t first_edge_slot = 0;

  explicit Needs(const TypeProgram& type) : first_edge_slot(type.first_edge_slot) {
    for (const Node& node : type.function.nodes) {
      const OpId op = node.op->id;
      if (op == OpId::kGather) {
        by_slot.resize(std::max(by_slot.size(), static_cast<std::size_t>(node.get<attr::Children>().slot) + 1));
        by_slot[node.get<attr::Children>().slot].insert(node.attribute_name());
      }
      if (op == OpId::kChildren) of_edges.insert(node.attribute_name());
      if (op == OpId::kScatter) scattered.insert(node.attribute_name());
    }
  }

  /// Returns a state that is gathered from the child in `slot` but is not among `known`, or "" if there is none.
  std::string lacking(std::int64_t slot, const std::set<std::string>& known) const {
    const auto missing = [&](const std::set<std::string>& wanted) {
      const auto it = std::ranges::find_if(wanted, [&](const std::string& state) { return !known.contains(state); });
      return it == wanted.end() ? std::string() : *it;
    };
    std::string state = slot < std::ssize(by_slot) ? missing(by_slot[slot]) : "";
    return state.empty() && slot >= first_edge_slot ? missing(of_edges) : state;
  }
  /// Returns a number of slots that covers all kinds: slots from slot_kinds() - 1 on gather the same states.
  std::int64_t slot_kinds() const { return std::max<std::int64_t>(std::ssize(by_slot), first_edge_slot) + 1; }
};

}  // namespace

BoundGraphs::BoundGraphs(const Program& program, const GraphSet& graphs, std::vector<std::string> run_ports)
    : program_(&program), graphs_(&graphs), run_ports_(std::move(run_ports)) {
  user_check(!program.connected || graphs.schema().connected,
             "the model is a network of vertex functions, but the graphs are plain ones; convert them with "
             "build_graphs(graphs, network_builder(model, graphs.schema()))");
  user_check(program.connected || !graphs.schema().connected,
             "the graphs were made for a network of vertex functions, but the model is not one; use the graphs "
             "that they were made from");
  map_type_names();
  check_run_ports();
  check_ports();
  find_missing_states();
  update();
}

void BoundGraphs::update() {
  map_types();
  find_presence();
  count_labels();
  check_indices();
  check_children();
  if (program_->connected) find_network_levels();
  rank_levels();
  const auto twice = [](std::int64_t begin, std::int64_t end) { return end > begin + 1; };
  const auto parents = graphs_->parent_begin();
  one_parent_ = std::adjacent_find(parents.begin(), parents.end(), twice) == parents.end();
}

std::string BoundGraphs::vertex_name(std::int64_t vertex) const {
  const auto begin = graphs_->vertex_begin();
  const auto sample = std::upper_bound(begin.begin(), begin.end(), vertex) - begin.begin() - 1;
  return fmt::format("vertex {} of sample {}", vertex - begin[sample], sample);
}

void BoundGraphs::map_type_names() {
  type_map_.assign(graphs_->schema().types.size(), 0);
  if (program_->types.size() == 1) return;
  for (std::size_t i = 0; i < type_map_.size(); ++i) {
    const auto fits = [&](const TypeProgram& type) { return type.function.name == graphs_->schema().types[i]; };
    const auto it = std::ranges::find_if(program_->types, fits);
    type_map_[i] = it == program_->types.end() ? -1 : static_cast<std::int32_t>(it - program_->types.begin());
  }
}

void BoundGraphs::map_types() {
  types_.clear();
  types_.reserve(graphs_->types().size());
  for (const std::int32_t t : graphs_->types()) {
    if (type_map_[t] < 0) {
      const std::string& name = graphs_->schema().types[t];
      std::vector<std::string_view> known;
      for (const TypeProgram& type : program_->types) known.emplace_back(type.function.name);
      user_error("the graphs have vertices of type '{}', but the model has no vertex function of this name; {}", name,
                 suggest(name, known));
    }
    types_.push_back(type_map_[t]);
  }
}

std::span<const std::int32_t> BoundGraphs::index_port(const std::string& name) const {
  if (const auto it = presence_.find(name); it != presence_.end()) return it->second;
  const std::int32_t port = position(graphs_->schema().index_ports, name);
  CAVS_ASSERT(port >= 0);
  return graphs_->index_pulls(port);
}

std::span<const std::int32_t> BoundGraphs::edge_index_port(const std::string& name) const {
  if (const auto it = edge_presence_.find(name); it != edge_presence_.end()) return it->second;
  const std::int32_t port = position(graphs_->schema().edge_index_ports, name);
  CAVS_ASSERT(port >= 0);
  return graphs_->edge_index_pulls(port);
}

namespace {

std::int32_t find_float_port(const std::vector<GraphSchema::FloatPort>& ports, const std::string& name) {
  const auto it = std::ranges::find(ports, name, &GraphSchema::FloatPort::name);
  return it == ports.end() ? -1 : static_cast<std::int32_t>(it - ports.begin());
}

/// Returns the numbers of the index port and the float port (or -1) whose presence the port with name `name` shows.
std::pair<std::int32_t, std::int32_t> ports_of_presence(const GraphSchema& schema, const std::string& name,
                                                        bool of_edges) {
  const auto port = port_of_presence(name);
  if (!port) return {-1, -1};
  return {position(of_edges ? schema.edge_index_ports : schema.index_ports, std::string(*port)),
          find_float_port(of_edges ? schema.edge_float_ports : schema.float_ports, std::string(*port))};
}

/// Returns 0 for each index that is present, else -1.
std::vector<std::int32_t> presence(std::span<const std::int32_t> values) {
  std::vector<std::int32_t> told(values.size());
  std::ranges::transform(values, told.begin(), [](std::int32_t value) { return value >= 0 ? 0 : -1; });
  return told;
}
std::vector<std::int32_t> presence(std::span<const std::uint8_t> present) {
  std::vector<std::int32_t> told(present.size());
  std::ranges::transform(present, told.begin(), [](std::uint8_t there) { return there != 0 ? 0 : -1; });
  return told;
}

}  // namespace

/// True if `name` is the presence port of a run port, whose rows the run supplies for every vertex.
bool BoundGraphs::is_presence_of_run_port(const std::string& name) const {
  const auto port = port_of_presence(name);
  return port && is_run_port(std::string(*port));
}

void BoundGraphs::find_presence() {
  presence_.clear();
  edge_presence_.clear();
  for (const TypeProgram& type : program_->types)
    for (const Node& node : type.function.nodes) {
      const bool of_edges = node.is(OpId::kPullEdgeIndex);
      if (!of_edges && !node.is(OpId::kPullIndex)) continue;
      const std::string& name = node.attribute_name();
      const auto [index_port, float_port] = ports_of_presence(graphs_->schema(), name, of_edges);
      auto& known = of_edges ? edge_presence_ : presence_;
      if (!of_edges && is_presence_of_run_port(name))
        known[name].assign(static_cast<std::size_t>(graphs_->vertices()), 0);
      if ((index_port < 0 && float_port < 0) || known.contains(name)) continue;
      if (of_edges)
        known[name] = index_port >= 0 ? presence(graphs_->edge_index_pulls(index_port))
                                      : presence(graphs_->edge_float_present(float_port));
      else
        known[name] =
            index_port >= 0 ? presence(graphs_->index_pulls(index_port)) : presence(graphs_->float_present(float_port));
    }
}

void BoundGraphs::count_labels() {
  labels_.assign(types_.size(), 0);
  for (std::size_t t = 0; t < program_->types.size(); ++t) {
    const TypeProgram& type = program_->types[t];
    if (type.losses.empty()) continue;
    std::vector<const std::int32_t*> ports, edge_ports;
    for (const std::string& port : type.label_ports.of_vertices) ports.push_back(index_port(port).data());
    for (const std::string& port : type.label_ports.of_edges) edge_ports.push_back(edge_index_port(port).data());
    const auto any_at = [](const std::vector<const std::int32_t*>& all, std::int64_t at) {
      return std::ranges::any_of(all, [at](const std::int32_t* port) { return port[at] >= 0; });
    };
    for (std::size_t v = 0; v < types_.size(); ++v)
      if (types_[v] == static_cast<std::int32_t>(t))
        labels_[v] = type.label_ports.empty() || any_at(ports, static_cast<std::int64_t>(v)) ? 1 : 0;
    if (edge_ports.empty()) continue;
    each_edge(static_cast<std::int32_t>(t),
              [&](std::size_t v, std::int64_t, std::int64_t slot) { labels_[v] += any_at(edge_ports, slot) ? 1 : 0; });
  }
}

const float* BoundGraphs::float_port(std::int32_t port) const {
  const GraphSchema& schema = graphs_->schema();
  const std::string& name = program_->float_ports[port].name;
  if (const std::int32_t p = find_float_port(schema.float_ports, name); p >= 0) return graphs_->float_pulls(p).data();
  return graphs_->edge_float_pulls(find_float_port(schema.edge_float_ports, name)).data();
}

std::span<const std::uint8_t> BoundGraphs::float_present(std::int32_t port) const {
  const std::string& name = program_->float_ports[port].name;
  if (is_run_port(name)) return {};
  return graphs_->float_present(find_float_port(graphs_->schema().float_ports, name));
}

namespace {

/// The ports that a schema has for vertices or for edges, and the operators that read them.
struct PortsOf {
  const std::vector<std::string>& index_ports;
  const std::vector<GraphSchema::FloatPort>& float_ports;
  const char *pull, *pull_index, *which;

  PortsOf(const GraphSchema& schema, bool of_edges)
      : index_ports(of_edges ? schema.edge_index_ports : schema.index_ports),
        float_ports(of_edges ? schema.edge_float_ports : schema.float_ports),
        pull(of_edges ? "pull_edges" : "pull"),
        pull_index(of_edges ? "pull_edge_index" : "pull_index"),
        which(of_edges ? " of edges" : "") {}
  bool has_index(const std::string& name) const { return position(index_ports, name) >= 0; }
  bool has_float(const std::string& name) const { return find_float_port(float_ports, name) >= 0; }
};

/// Returns advice if the port exists with another type (integers instead of fp32 numbers, for example), or for edges
/// instead of vertices. Empty if there is no such port.
std::string found_elsewhere(const GraphSchema& schema, const std::string& name, bool of_edges) {
  const PortsOf same(schema, of_edges), other(schema, !of_edges);
  if (same.has_float(name))
    return fmt::format("; they have it as fp32 numbers: provide integers, or use {}", same.pull);
  if (same.has_index(name))
    return fmt::format("; they have it as integers: provide fp32 numbers, or use {}", same.pull_index);
  if (!other.has_index(name) && !other.has_float(name)) return "";
  return fmt::format("; they have it for {}: use {}", of_edges ? "vertices" : "edges",
                     other.has_index(name) ? other.pull_index : other.pull);
}

void check_index_port(const GraphSchema& schema, const std::string& function, const std::string& name, bool of_edges) {
  const PortsOf ports(schema, of_edges);
  const bool has = ports.has_index(name);
  const auto [index_port, float_port] = ports_of_presence(schema, name, of_edges);
  const bool told = index_port >= 0 || float_port >= 0;
  user_check(!has || !told,
             "[{}] the graphs have a port '{}', but vertex function '{}' uses that name for the presence of port '{}'; "
             "rename the port",
             ports.pull_index, name, function, port_of_presence(name).value_or(""));
  if (const auto port = port_of_presence(name); port && !has && !told)
    user_error("[{}] vertex function '{}' asks where port '{}' is present, but the graphs have no such port{}",
               of_edges ? "where_edge_present" : "where_present", function, *port, ports.which);
  if (has || told) return;
  const std::string elsewhere = found_elsewhere(schema, name, of_edges);
  user_error("[{}] vertex function '{}' pulls '{}', but the graphs have no such integers{}{}", ports.pull_index,
             function, name, ports.which,
             elsewhere.empty() ? "; " + suggest(name, views(ports.index_ports)) : elsewhere);
}

void check_float_port(const GraphSchema& schema, const std::string& function, const Node& node, bool of_edges) {
  const PortsOf ports(schema, of_edges);
  const std::string& name = node.attribute_name();
  const std::int32_t port = find_float_port(ports.float_ports, name);
  user_check(port >= 0, "[{}] vertex function '{}' pulls '{}', but the graphs have no such numbers{}{}", ports.pull,
             function, name, ports.which, found_elsewhere(schema, name, of_edges));
  user_check(ports.float_ports[port].width == node.shape.size(),
             "[{}] vertex function '{}' pulls {} numbers from '{}', but the graphs have {}", ports.pull, function,
             node.shape.size(), name, ports.float_ports[port].width);
}

}  // namespace

void BoundGraphs::check_run_ports() const {
  std::vector<std::string_view> pulled;
  for (const TypeProgram& type : program_->types)
    for (const Node& node : type.function.nodes)
      if (node.is(OpId::kPull)) pulled.push_back(node.attribute_name());
  for (const std::string& port : run_ports_)
    user_check(std::ranges::find(pulled, port) != pulled.end(),
               "run_ports names '{}', but no vertex function pulls from a float port of this name; {}", port,
               suggest(port, pulled));
}

void BoundGraphs::check_ports() const {
  const GraphSchema& schema = graphs_->schema();
  for (const TypeProgram& type : program_->types)
    for (const Node& node : type.function.nodes) {
      const bool of_edges = is_edge_pull(node);
      if (node.is({OpId::kPullIndex, OpId::kPullEdgeIndex}) &&
          !(node.is(OpId::kPullIndex) && is_presence_of_run_port(node.attribute_name())))
        check_index_port(schema, type.function.name, node.attribute_name(), of_edges);
      if (node.is(OpId::kPullEdges) || (node.is(OpId::kPull) && !is_run_port(node.attribute_name())))
        check_float_port(schema, type.function.name, node, of_edges);
      user_check(!of_edges || graphs_->edges() <= std::numeric_limits<std::int32_t>::max(),
                 "[{}] the graphs have {} child slots; a model that pulls input of edges supports at most 2^31 - 1",
                 node.op->name, graphs_->edges());
    }
}

void BoundGraphs::check_indices() const {
  for (std::size_t t = 0; t < program_->types.size(); ++t) {
    const Function& f = program_->types[t].function;
    for (const Node& node : f.nodes) {
      if (!node.op->index) continue;
      const IndexInput& index = *node.op->index;
      const Node& index_node = f.nodes[node.in[index.input]];
      const std::string& port = index_node.attribute_name();
      const std::int32_t limit = index.limit(f, node);
      const auto check = [&](std::int32_t value, const auto& of) {
        if (value < -1 || value >= limit)
          user_error("[{}] '{}' of {} is {}, expected -1 (absent) to {}, in vertex function '{}'",
                     index.declared_as.empty() ? node.op->name : index.declared_as, port, of(), value, limit - 1,
                     f.name);
      };
      if (index_node.is(OpId::kPullEdgeIndex)) {
        const auto values = edge_index_port(port);
        each_edge(static_cast<std::int32_t>(t), [&](std::size_t v, std::int64_t child, std::int64_t slot) {
          check(values[slot],
                [&] { return fmt::format("child {} of {}", child, vertex_name(static_cast<std::int64_t>(v))); });
        });
        continue;
      }
      const auto values = index_port(port);
      for (std::size_t v = 0; v < values.size(); ++v)
        if (types_[v] == static_cast<std::int32_t>(t))
          check(values[v], [&] { return vertex_name(static_cast<std::int64_t>(v)); });
    }
  }
}

void BoundGraphs::find_missing_states() {
  std::vector<Needs> needs;
  for (const TypeProgram& type : program_->types) needs.emplace_back(type);
  for (const Needs& parent : needs) {
    auto& lacks = missing_states_.emplace_back();
    for (std::int64_t slot = 0; slot < parent.slot_kinds(); ++slot)
      for (const Needs& child : needs) lacks.push_back(parent.lacking(slot, child.scattered));
  }
}

void BoundGraphs::check_children() const {
  const auto name = [&](std::int32_t type) { return program_->types[type].function.name; };
  const auto types = std::ssize(missing_states_);
  for (std::int32_t s = 0; s < graphs_->size(); ++s) {
    const std::int64_t base = graphs_->vertex_begin()[s];
    for (std::int64_t v = base; v < graphs_->vertex_begin()[s + 1]; ++v) {
      const std::int32_t parent = types_[v];
      const std::vector<std::string>& lacks = missing_states_[parent];
      const std::int64_t last = std::ssize(lacks) / types - 1;
      const std::int64_t begin = graphs_->child_begin()[v], slots = graphs_->child_begin()[v + 1] - begin;
      const std::int32_t max = program_->types[parent].max_child_slots;
      if (max != TypeProgram::kAnyChildren && slots > max)
        user_error("{} has {} children, but vertex function '{}' gathers {}; use children() for any number of them",
                   vertex_name(v), slots, name(parent), max);
      for (std::int64_t k = 0; k < slots; ++k) {
        if (graphs_->children()[begin + k] < 0) continue;
        const std::int32_t child = types_[base + graphs_->children()[begin + k]];
        const std::string& state = lacks[std::min(k, last) * types + child];
        if (!state.empty())
          user_error("{} ('{}') gathers state '{}' from a child of type '{}', which does not scatter it",
                     vertex_name(v), name(parent), state, name(child));
      }
    }
  }
}

}  // namespace cavs::inline v0_1
