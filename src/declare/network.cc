#include "declare/network.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ir/builder.h"
#include "ir/presence.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

bool overlap(const Function& f, const Function& g) {
  const auto in_g = [there = types_over(g)](const std::string& type) {
    return std::ranges::find(there, type) != there.end();
  };
  return std::ranges::any_of(types_over(f), in_g);
}

class NetworkFinder {
 public:
  NetworkFinder(const Model& model, const std::vector<Function>& functions) : functions_(functions) {
    network_.connections = model.connections();
    network_.slots.resize(functions.size());
  }

  Network find() {
    for (const Connection& c : network_.connections) resolve(c);
    check_cycles();
    for (std::int32_t f = 0; f < std::ssize(functions_); ++f) find_slots(f);
    return std::move(network_);
  }

 private:
  std::int32_t function_number(const FunctionPort& end, const Connection& c) const {
    std::vector<std::string_view> known;
    for (const Function& f : functions_) known.push_back(f.name);
    const auto it = std::ranges::find(known, end.function);
    user_check(it != known.end(), "connection {}: no vertex function '{}'; {}", to_string(c), end.function,
               suggest(end.function, known));
    return static_cast<std::int32_t>(it - known.begin());
  }

  /// Returns the first node of the function whose operator is in `ops` and whose port is that of `end`.
  const Node& port_node(const FunctionPort& end, std::int32_t function, const Connection& c,
                        std::initializer_list<OpId> ops) const {
    std::vector<std::string_view> known;
    for (const Node& node : functions_[function].nodes) {
      if (!node.is(ops)) continue;
      if (node.attribute_name() == end.port) return node;
      known.push_back(node.attribute_name());
    }
    user_error("connection {}: vertex function '{}' has no {} port '{}'; {}", to_string(c), end.function,
               find_op(*ops.begin()).name, end.port, suggest(end.port, known));
  }

  void resolve(const Connection& c) {
    network_.from.push_back(function_number(c.from, c));
    network_.to.push_back(function_number(c.to, c));
    const Node& push = port_node(c.from, network_.from.back(), c, {OpId::kPush});
    const Node& pull = port_node(c.to, network_.to.back(), c, {OpId::kPull, OpId::kPullAll});
    user_check(push.shape == pull.shape, "connection {}: pushes {}, pulls {}; expected equal shapes", to_string(c),
               cavs::to_string(push.shape), cavs::to_string(pull.shape));
    const bool all = c.rows.kind == RowMap::Kind::kAll;
    user_check(all == pull.is(OpId::kPullAll), "connection {}: supplies {}, but is pulled with {}; expected {}",
               to_string(c), all ? "all rows of the sample" : "one row", pull.op->name, all ? "pull_all" : "pull");
    const Function &from = functions_[network_.from.back()], &to = functions_[network_.to.back()];
    user_check(c.rows.kind != RowMap::Kind::kSame || overlap(from, to),
               "connection {}: supplies the row of the same vertex, but '{}' runs over {} and '{}' over {}; expected a "
               "type of vertex in both, or another RowMap",
               to_string(c), from.name, fmt::join(types_over(from), ", "), to.name, fmt::join(types_over(to), ", "));
  }

  void check_cycles() const {
    std::vector<std::int32_t> path;
    std::vector<char> done(functions_.size(), 0);
    for (std::int32_t f = 0; f < std::ssize(functions_); ++f) visit(f, path, done);
  }

  /// Visits a function and those it feeds, depth first, to find cycles. Recursion is safe, since functions are few.
  void visit(std::int32_t f, std::vector<std::int32_t>& path, std::vector<char>& done) const {
    if (done[f] != 0) return;
    if (const auto it = std::ranges::find(path, f); it != path.end()) {
      std::vector<std::string> names;
      for (auto at = it; at != path.end(); ++at) names.push_back(functions_[*at].name);
      names.push_back(functions_[f].name);
      user_error(
          "connections form a cycle of vertex functions: {}; a function must not depend on functions that it feeds; "
          "use scatter and gather for its own earlier vertices",
          fmt::join(names, " -> "));
    }
    path.push_back(f);
    for (std::size_t c = 0; c < network_.connections.size(); ++c)
      if (network_.from[c] == f) visit(network_.to[c], path, done);
    path.pop_back();
    done[f] = 1;
  }

  void find_slots(std::int32_t number) {
    const Function& f = functions_[number];
    NetworkSlots& slots = network_.slots[number];
    for (const Node& node : f.nodes) {
      if (node.is(OpId::kGather)) slots.own = std::max(slots.own, node.get<attr::Children>().slot + 1);
      if (node.is(OpId::kChildren)) slots.all_own = true;  // a function with pull_edges also has `children`
    }
    for (const Node& node : f.nodes) {
      const bool all = node.is(OpId::kPullAll);
      if (!all && !node.is(OpId::kPull)) continue;
      ConnectedPull pull = connected_pull(number, node.attribute_name());
      user_check(!all || !pull.connections.empty(),
                 "[pull_all] port '{}' of vertex function '{}' is not connected; connect a push port to it with "
                 "RowMap::all()",
                 node.attribute_name(), f.name);
      if (all)
        set_ragged(f, slots, std::move(pull));
      else if (!pull.connections.empty() && !has_port(slots, pull.port))
        slots.rows.push_back(std::move(pull));
    }
    std::ranges::sort(slots.rows, {}, [](const ConnectedPull& pull) { return pull.connections.front(); });
  }

  static bool has_port(const NetworkSlots& slots, const std::string& port) {
    return std::ranges::any_of(slots.rows, [&](const ConnectedPull& pull) { return pull.port == port; });
  }

  static void set_ragged(const Function& f, NetworkSlots& slots, ConnectedPull pull) {
    user_check(!slots.all_own,
               "[pull_all] vertex function '{}' reads all its children and all rows of '{}'; expected one list of any "
               "length: read one of them in a separate function, or gather children by number",
               f.name, pull.port);
    user_check(!slots.all || slots.all->port == pull.port,
               "[pull_all] vertex function '{}' pulls all rows of '{}' and of '{}'; expected one list of any length: "
               "read one of them in a separate function, and push its result",
               f.name, slots.all ? slots.all->port : "", pull.port);
    slots.all = std::move(pull);
  }

  ConnectedPull connected_pull(std::int32_t to, const std::string& port) {
    ConnectedPull pull{port, {}, {}};
    std::vector<Source> sources;
    for (std::int32_t c = 0; c < std::ssize(network_.connections); ++c) {
      const Connection& connection = network_.connections[c];
      if (network_.to[c] != to || connection.to.port != port) continue;
      for (const std::int32_t other : pull.connections) check_apart(connection, network_.connections[other]);
      pull.connections.push_back(c);
      sources.emplace_back(network_.from[c], connection.from.port);
    }
    if (!sources.empty()) pull.state = state_of(std::move(sources), to, port);
    return pull;
  }

  void check_apart(const Connection& a, const Connection& b) const {
    const auto function = [&](const Connection& c) -> const Function& {
      return functions_[function_number(c.from, c)];
    };
    user_check(
        a.rows == b.rows && !overlap(function(a), function(b)),
        "connections {} and {} feed the same port; expected functions over different vertices, and equal RowMaps",
        to_string(a), to_string(b));
  }

  using Source = std::pair<std::int32_t, std::string>;  // number of the function, and its push port

  ValueId pushed(const Source& source) const {
    const auto& nodes = functions_[source.first].nodes;
    return std::ranges::find_if(
               nodes, [&](const Node& node) { return node.is(OpId::kPush) && node.attribute_name() == source.second; })
        ->in[0];
  }

  /// Returns the name of the state that replaces a connected pull. Pulls that are fed by the same pushes share one
  /// state. If all sources already scatter the pushed value as a state, it is that state.
  std::string state_of(std::vector<Source> sources, std::int32_t to, const std::string& port) {
    std::ranges::sort(sources);
    std::string& name = state_of_[sources];
    if (!name.empty()) return name;
    name = scattered_anyway(sources);
    if (!name.empty()) return name;
    name = sources.size() == 1 ? fmt::format("{}.{}", functions_[sources[0].first].name, sources[0].second)
                               : fmt::format("{}.{}", functions_[to].name, port);
    while (is_state(name)) name += '_';
    for (const Source& source : sources) network_.states.push_back({name, source.first, pushed(source)});
    return name;
  }

  bool is_state(const std::string& name) const {
    const auto has = [&](const Function& f) {
      return std::ranges::any_of(f.nodes, [&](const Node& node) {
        return (is_gather(node) || node.is(OpId::kScatter)) && node.attribute_name() == name;
      });
    };
    return std::ranges::any_of(functions_, has) ||
           std::ranges::any_of(network_.states, [&](const Network::State& state) { return state.name == name; });
  }

  std::string scattered_anyway(const std::vector<Source>& sources) const {
    for (const Node& candidate : functions_[sources[0].first].nodes) {
      if (!candidate.is(OpId::kScatter)) continue;
      const auto scatters = [&](const Source& source) {
        return std::ranges::any_of(functions_[source.first].nodes, [&](const Node& node) {
          return node.is(OpId::kScatter) && node.attribute_name() == candidate.attribute_name() &&
                 node.in[0] == pushed(source);
        });
      };
      if (std::ranges::all_of(sources, scatters)) return candidate.attribute_name();
    }
    return {};
  }

  const std::vector<Function>& functions_;
  Network network_;
  std::map<std::vector<Source>, std::string> state_of_;
};

const ConnectedPull* find_pull(const NetworkSlots& slots, const Node& node) {
  if (node.is(OpId::kPullAll)) return &*slots.all;
  const auto it =
      std::ranges::find_if(slots.rows, [&](const ConnectedPull& pull) { return pull.port == node.attribute_name(); });
  return node.is(OpId::kPull) && it != slots.rows.end() ? &*it : nullptr;
}

/// Replaces the masks of where_present() for connected ports by 1, because connected input is always present.
void drop_masks(Function& f, const NetworkSlots& slots) {
  for (Node& node : f.nodes) {
    if (!node.is(OpId::kOneHot) || !f.nodes[node.in[0]].is(OpId::kPullIndex)) continue;
    const auto port = port_of_presence(f.nodes[node.in[0]].attribute_name());
    const auto is_port = [&](const ConnectedPull& pull) { return pull.port == port; };
    if (!port || std::ranges::none_of(slots.rows, is_port)) continue;
    node.op = &find_op(OpId::kConstant);
    node.in.clear();
    node.attributes = attr::Constant{.number = 1, .shape = {1}};
  }
}

void connect(Function& f, const NetworkSlots& slots) {
  drop_masks(f, slots);
  for (Node& node : f.nodes) {
    if (is_gather(node)) std::get<attr::Children>(node.attributes).slot += slots.first_own();
    if (is_edge_pull(node)) std::get<attr::EdgePort>(node.attributes).first += slots.first_own();
    const ConnectedPull* pull = find_pull(slots, node);
    if (pull == nullptr) continue;
    const bool all = node.is(OpId::kPullAll);
    node.op = &find_op(all ? OpId::kChildren : OpId::kGather);
    const auto slot = all ? slots.first_of_all() : static_cast<std::int32_t>(pull - slots.rows.data());
    node.attributes = attr::Children{.name = pull->state, .slot = slot, .all = all};
  }
}

/// Removes connected pushes, which are not outputs of the model.
Function without_connected_pushes(const Function& f, const Network& network) {
  std::vector<char> kept;
  for (const Node& node : f.nodes)
    kept.push_back(!node.is(OpId::kPush) || std::ranges::none_of(network.connections, [&](const Connection& c) {
      return c.from == FunctionPort{f.name, node.attribute_name()};
    }));
  return select_nodes(f, kept);
}

}  // namespace

std::string to_string(const Connection& c) {
  return fmt::format("'{}.{}' -> '{}.{}'", c.from.function, c.from.port, c.to.function, c.to.port);
}

bool is_static(const Function& f) { return std::ranges::none_of(f.nodes, is_gather); }

Network find_network(const Model& model, const std::vector<Function>& functions) {
  return NetworkFinder(model, functions).find();
}

std::vector<Function> connected_functions(const Model& model) {
  std::vector<Function> functions = model.functions();
  resolve_states(functions, true);
  const Network network = find_network(model, functions);
  for (std::size_t f = 0; f < functions.size(); ++f) connect(functions[f], network.slots[f]);
  for (const Network::State& state : network.states) {
    Function& f = functions[state.function];
    append(f, OpId::kScatter, {state.value}, attr::Named{state.name});
    f.forward = static_cast<std::int32_t>(f.nodes.size());
  }
  for (std::size_t f = 0; f < functions.size(); ++f) functions[f] = without_connected_pushes(functions[f], network);
  resolve_states(functions, true);
  return functions;
}

Model Model::connected() const {
  Model plain = *this;
  auto functions = std::make_shared<std::vector<Function>>(connected_functions(*this));
  for (Function& f : *functions) {
    f.over.clear();
    f.reverse = false;
  }
  plain.functions_ = std::move(functions);
  plain.connections_.clear();
  return plain;
}

}  // namespace cavs::inline v0_1
