#include <algorithm>
#include <set>

#include "ir/presence.h"
#include "pack/minibatch.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs {
namespace {

std::vector<std::string_view> views(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

std::int32_t position(const std::vector<std::string>& names, const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? -1 : static_cast<std::int32_t>(it - names.begin());
}

/// What a program asks of the vertices of one type: the states gathered of a child by slot, and what it scatters.
struct Needs {
  std::vector<std::set<std::string>> by_slot;  // of gather(k)
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

  /// A state that is gathered of the child in `slot`, but is not among `given`; empty: none.
  std::string lacking(std::int64_t slot, const std::set<std::string>& given) const {
    const auto missing = [&](const std::set<std::string>& wanted) {
      const auto it = std::ranges::find_if(wanted, [&](const std::string& state) { return !given.contains(state); });
      return it == wanted.end() ? std::string() : *it;
    };
    std::string state = slot < std::ssize(by_slot) ? missing(by_slot[slot]) : "";
    return state.empty() && slot >= first_edge_slot ? missing(of_edges) : state;
  }
  /// Slots from here on are asked for the same.
  std::int64_t slot_kinds() const { return std::max<std::int64_t>(std::ssize(by_slot), first_edge_slot) + 1; }
};

}  // namespace

BoundGraphs::BoundGraphs(const Program& program, const GraphSet& graphs) : program_(&program), graphs_(&graphs) {
  user_check(!program.connected || graphs.schema().connected,
             "the model is a network of vertex functions, the graphs are as data give them; make its graphs of them "
             "with build_graphs(graphs, network_builder(model, graphs.schema()))");
  user_check(program.connected || !graphs.schema().connected,
             "the graphs were made for a network of vertex functions, the model is none; give it the graphs that they "
             "were made of");
  map_type_names();
  check_ports();
  find_missing_states();
  update();
}

void BoundGraphs::update() {
  map_types();
  find_presence();
  find_labelled();
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
  types_.clear(), types_.reserve(graphs_->types().size());
  for (const std::int32_t t : graphs_->types()) {
    if (type_map_[t] < 0) {
      const std::string& name = graphs_->schema().types[t];
      std::vector<std::string_view> known;
      for (const TypeProgram& type : program_->types) known.emplace_back(type.function.name);
      user_error("the graphs have vertices of type '{}', the model has no vertex function for it; {}", name,
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

namespace {

std::int32_t find_float_port(const GraphSchema& schema, const std::string& name) {
  const auto it = std::find_if(schema.float_ports.begin(), schema.float_ports.end(),
                               [&](const auto& port) { return port.name == name; });
  return it == schema.float_ports.end() ? -1 : static_cast<std::int32_t>(it - schema.float_ports.begin());
}

/// The number of the index port, or the float port, whose presence an index port tells; -1: there is none.
std::pair<std::int32_t, std::int32_t> ports_told(const GraphSchema& schema, const std::string& name) {
  const auto port = port_of_presence(name);
  if (!port) return {-1, -1};
  return {position(schema.index_ports, std::string(*port)), find_float_port(schema, std::string(*port))};
}

}  // namespace

void BoundGraphs::find_presence() {
  presence_.clear();
  for (const TypeProgram& type : program_->types)
    for (const Node& node : type.function.nodes) {
      const std::string& name = node.attribute_name();
      if (!node.is(OpId::kPullIndex) || presence_.contains(name)) continue;
      const auto [index_port, float_port] = ports_told(graphs_->schema(), name);
      if (index_port < 0 && float_port < 0) continue;
      std::vector<std::int32_t>& values = presence_[name];
      values.assign(graphs_->types().size(), 0);
      for (std::size_t v = 0; v < values.size(); ++v) {
        const bool present =
            index_port >= 0 ? graphs_->index_pulls(index_port)[v] >= 0
                            : graphs_->float_present(float_port).empty() || graphs_->float_present(float_port)[v] != 0;
        values[v] = present ? 0 : -1;
      }
    }
}

void BoundGraphs::find_labelled() {
  labelled_.assign(types_.size(), 0);
  for (std::size_t t = 0; t < program_->types.size(); ++t) {
    const TypeProgram& type = program_->types[t];
    if (type.losses.empty()) continue;
    std::vector<const std::int32_t*> ports;
    for (const std::string& port : type.label_ports) ports.push_back(index_port(port).data());
    const auto has_label = [&](std::size_t v) {
      return ports.empty() || std::ranges::any_of(ports, [v](const std::int32_t* port) { return port[v] >= 0; });
    };
    for (std::size_t v = 0; v < types_.size(); ++v)
      if (types_[v] == static_cast<std::int32_t>(t)) labelled_[v] = has_label(v) ? 1 : 0;
  }
}

const float* BoundGraphs::float_port(std::int32_t port) const {
  return graphs_->float_pulls(find_float_port(graphs_->schema(), program_->float_ports[port].name)).data();
}

std::span<const std::uint8_t> BoundGraphs::float_present(std::int32_t port) const {
  return graphs_->float_present(find_float_port(graphs_->schema(), program_->float_ports[port].name));
}

namespace {

void check_index_port(const GraphSchema& schema, const std::string& function, const std::string& name) {
  const bool given = position(schema.index_ports, name) >= 0;
  const auto [index_port, float_port] = ports_told(schema, name);
  const bool told = index_port >= 0 || float_port >= 0;
  user_check(!given || !told,
             "[pull_index] the graphs have a port '{}', the name by which vertex function '{}' asks where port '{}' is "
             "present; give it another name",
             name, function, port_of_presence(name).value_or(""));
  if (const auto port = port_of_presence(name); port && !given && !told)
    user_error("[where_present] vertex function '{}' asks where port '{}' is present, the graphs have no such port",
               function, *port);
  user_check(given || told, "[pull_index] vertex function '{}' pulls '{}', the graphs have no such integers; {}",
             function, name, suggest(name, views(schema.index_ports)));
}

}  // namespace

void BoundGraphs::check_ports() const {
  const GraphSchema& schema = graphs_->schema();
  for (const TypeProgram& type : program_->types)
    for (const Node& node : type.function.nodes) {
      const std::string& name = node.attribute_name();
      if (node.is(OpId::kPullIndex)) check_index_port(schema, type.function.name, name);
      if (!node.is(OpId::kPull)) continue;
      const std::int32_t port = find_float_port(schema, name);
      user_check(port >= 0, "[pull] vertex function '{}' pulls '{}', the graphs have no such numbers",
                 type.function.name, name);
      user_check(schema.float_ports[port].width == node.shape.size(),
                 "[pull] vertex function '{}' pulls {} numbers from '{}', the graphs give {}", type.function.name,
                 node.shape.size(), name, schema.float_ports[port].width);
    }
}

void BoundGraphs::check_indices() const {
  for (std::size_t t = 0; t < program_->types.size(); ++t) {
    const Function& f = program_->types[t].function;
    for (const Node& node : f.nodes) {
      if (!node.op->index) continue;
      const IndexInput& index = *node.op->index;
      const std::string& port = f.nodes[node.in[index.input]].attribute_name();
      const std::int32_t limit = index.limit(f, node);
      const auto values = index_port(port);
      for (std::size_t v = 0; v < values.size(); ++v)
        if (types_[v] == static_cast<std::int32_t>(t) && (values[v] < -1 || values[v] >= limit))
          user_error("[{}] '{}' of {} is {}, expected -1 (absent) to {}, in vertex function '{}'",
                     index.declared_as.empty() ? node.op->name : index.declared_as, port,
                     vertex_name(static_cast<std::int64_t>(v)), values[v], limit - 1, f.name);
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
        user_error("{} has {} children, vertex function '{}' gathers {}; use children() for any number of them",
                   vertex_name(v), slots, name(parent), max);
      for (std::int64_t k = 0; k < slots; ++k) {
        if (graphs_->children()[begin + k] < 0) continue;
        const std::int32_t child = types_[base + graphs_->children()[begin + k]];
        const std::string& state = lacks[std::min(k, last) * types + child];
        if (!state.empty())
          user_error("{} ('{}') gathers state '{}' of a child of type '{}', which does not scatter it", vertex_name(v),
                     name(parent), state, name(child));
      }
    }
  }
}

}  // namespace cavs
