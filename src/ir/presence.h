#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/model.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Returns the name of the index port that marks where `port` has input. Its number is 0 at a vertex or edge with a row
/// (if `port` is a float port) or a number (index port), and -1 elsewhere. Binding of graphs makes this port.
std::string presence_of(std::string_view port);
/// Returns the port whose presence the index port `name` marks; nullopt if it is an ordinary index port.
std::optional<std::string_view> port_of_presence(std::string_view name);

/// A port of the data. For input of edges, `first_edge` is the first child slot that is an edge; else it is absent.
struct DataPort {
  std::string name;
  std::optional<std::int32_t> first_edge = std::nullopt;
  bool operator==(const DataPort&) const = default;
};

/// Returns x times a mask: x where the vertex or edge has input on all these ports, and 0 without gradient elsewhere.
Value where_present(const Value& x, const std::vector<DataPort>& ports);
/// If where_present() made value `id`, returns the node that pulls the port presence_of() for its mask; else nullptr.
const Node* mask_of(const Function& f, ValueId id);

/// Returns the ports of the data from which a value is computed; none if it also depends on parameters or states.
std::vector<DataPort> ports_read(const Value& x);

}  // namespace cavs::inline v0_1
