#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cavs/model.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// A pull port that connections feed. In the connected model, it is a gather of `state` from additional children.
struct ConnectedPull {
  std::string port, state;
  std::vector<std::int32_t> connections;  // positions in Network::connections
};

/// The child slots of a function's vertices: first one slot per connected row, in the order of the connections; then
/// the vertex's own children, as in the data; last the rows of a ragged pull (Vertex::pull_all).
struct NetworkSlots {
  std::vector<ConnectedPull> rows;   // pulls of one row, one slot each
  std::int32_t own = 0;              // number of own children that are gathered by slot
  bool all_own = false;              // true if the function reads any number of own children
  std::optional<ConnectedPull> all;  // the ragged pull, if there is one

  std::int32_t first_own() const { return static_cast<std::int32_t>(rows.size()); }
  std::int32_t first_of_all() const { return first_own() + own; }
};

/// Returns text such as "'encoder.memory' -> 'decoder.memory'", for messages.
std::string to_string(const Connection& connection);

/// True if f, as declared, gathers nothing, so that all its vertices in a minibatch are one task.
bool is_static(const Function& f);

/// Several vertex functions that read each other (Cavs, section 3.1, Expressiveness).
struct Network {
  struct State {
    std::string name;
    std::int32_t function = 0;
    ValueId value = -1;  // the value to scatter
  };
  std::vector<Connection> connections;
  std::vector<std::int32_t> from, to;  // [connections]: numbers of the pushing and of the pulling function
  std::vector<NetworkSlots> slots;     // [functions]
  std::vector<State> states;           // states that functions must scatter for connections, besides their own
};

/// Returns the connections of a model, resolved. @param functions  The model's functions, with all shapes known.
/// @throws UserError for a connection whose ports do not exist, are fed twice, or differ in width or kind, naming both
/// ends; for a cycle, naming its functions; and for a ragged pull that no connection feeds.
Network find_network(const Model& model, const std::vector<Function>& functions);

/// Returns the model's functions with gathers instead of connected pulls, and scatters instead of connected pushes.
std::vector<Function> connected_functions(const Model& model);

}  // namespace cavs::inline v0_1
