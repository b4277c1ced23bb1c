#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cavs/model.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// A pull port that connections feed, as what it becomes: a state that is gathered of further children.
struct ConnectedPull {
  std::string port, state;
  std::vector<std::int32_t> connections;  // into Network::connections
};

/// The child slots of one function's vertices: connected rows, one slot each in the order of the connections; then own
/// children, as the data have them; then the rows of a ragged pull.
struct NetworkSlots {
  std::vector<ConnectedPull> rows;
  std::int32_t own = 0;  // slots that are gathered by number
  bool all_own = false;  // any number of own children
  std::optional<ConnectedPull> all;

  std::int32_t first_own() const { return static_cast<std::int32_t>(rows.size()); }
  std::int32_t first_of_all() const { return first_own() + own; }
};

/// "'encoder.memory' -> 'decoder.memory'", for messages.
std::string to_string(const Connection& connection);

/// Whether f, as it was declared, gathers nothing: a static net, whose vertices of a minibatch are one task.
bool is_static(const Function& f);

/// Several vertex functions that read each other (Cavs, section 3.1, Expressiveness).
struct Network {
  struct State {
    std::string name;
    std::int32_t function = 0;
    ValueId value = -1;  // that is scattered, for connections alone
  };
  std::vector<Connection> connections;
  std::vector<std::int32_t> from, to;  // functions of each connection
  std::vector<NetworkSlots> slots;     // by function
  std::vector<State> states;           // to be scattered besides those that functions scatter themselves
};

/// `functions`: the model's, with all shapes known.
/// @throws UserError naming both ends of a connection whose ports do not exist, are fed twice, or differ in width or
/// kind; naming the functions of a cycle; or naming a ragged pull that no connection feeds.
Network find_network(const Model& model, const std::vector<Function>& functions);

/// The functions as the scheduler and the engine see them: a connected pull is a gather, a push that it reads a
/// scatter.
std::vector<Function> connected_functions(const Model& model);

}  // namespace cavs::inline v0_1
