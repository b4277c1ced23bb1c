#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/model.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// The index port that marks where a port of the data has input: 0 where a vertex or edge has a row (float port) or a
/// number (index port), -1 elsewhere. The data do not contain this port; it is made when graphs are bound.
std::string presence_of(std::string_view port);
/// The port whose presence this index port marks; none if it is an ordinary index port.
std::optional<std::string_view> port_of_presence(std::string_view name);

/// A port of the data, of vertices or of edges that begin at a child slot.
struct DataPort {
  std::string name;
  std::optional<std::int32_t> first_edge = std::nullopt;
  bool operator==(const DataPort&) const = default;
};

/// Equals x where the vertex or edge has input on all these ports of the data, and 0 without gradient elsewhere.
Value where_present(const Value& x, const std::vector<DataPort>& ports);
/// The index port that such a mask is made of; nullptr if the node is no mask.
const Node* mask_of(const Function& f, ValueId id);

/// The ports of the data that a value is computed from; none if it also depends on parameters or states.
std::vector<DataPort> ports_read(const Value& x);

}  // namespace cavs::inline v0_1
