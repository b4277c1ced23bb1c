#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cavs/model.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// A pull port that connections feed. It becomes a state, gathered from additional children.
struct ConnectedPull {
  std::string port, state;
  std::vector<std::int32_t> connections;  // into Network::connections
};

/// The child slots of a function's vertices: first one slot per connected row, in the order of the connections; then
/// the vertex's own children, as in the data; last the rows of a ragged pull (Vertex::pull_all).
struct NetworkSlots {
  std::vector<ConnectedPull> rows;
  std::int32_t own = 0;  // number of own children that are gathered by slot
  bool all_own = false;  // true if the number of own children is not fixed
  std::optional<ConnectedPull> all;

  std::int32_t first_own() const { return static_cast<std::int32_t>(rows.size()); }
  std::int32_t first_of_all() const { return first_own() + own; }
};

/// "'encoder.memory' -> 'decoder.memory'", for messages.
std::string to_string(const Connection& connection);

/// True if f, as declared, gathers nothing. All vertices of such a static net in a minibatch are one task.
bool is_static(const Function& f);

/// Several vertex functions that read each other (Cavs, section 3.1, Expressiveness).
struct Network {
  struct State {
    std::string name;
    std::int32_t function = 0;
    ValueId value = -1;  // value scattered only for connections
  };
  std::vector<Connection> connections;
  std::vector<std::int32_t> from, to;  // functions at both ends of each connection
  std::vector<NetworkSlots> slots;     // by function
  std::vector<State> states;           // states to scatter in addition to the functions' own
};

/// @param functions  The model's functions, with all shapes known.
/// @throws UserError for a connection whose ports do not exist, are fed twice, or differ in width or kind, naming both
/// ends; for a cycle, naming its functions; and for a ragged pull that no connection feeds.
Network find_network(const Model& model, const std::vector<Function>& functions);

/// The functions without connections, for scheduler and engine: connected pulls become gathers, and connected pushes
/// scatters.
std::vector<Function> connected_functions(const Model& model);

}  // namespace cavs::inline v0_1
