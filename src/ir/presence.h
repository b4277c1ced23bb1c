#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/model.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// The index port that tells where a port of the data has something: 0 where a vertex or edge has a row (of a float
/// port) or a number (of an index port), -1 elsewhere. Data do not have it; it is made when graphs are bound.
std::string presence_of(std::string_view port);
/// The port whose presence an index port tells; none if it is an ordinary one.
std::optional<std::string_view> port_of_presence(std::string_view name);

/// A port of the data: of vertices, or of edges that begin in a child slot.
struct DataPort {
  std::string name;
  std::optional<std::int32_t> first_edge = std::nullopt;
  bool operator==(const DataPort&) const = default;
};

/// x where the vertex or edge has something on all these ports of the data; 0, without gradient, elsewhere.
Value where_present(const Value& x, const std::vector<DataPort>& ports);
/// The index port that such a mask is made of; nullptr if the node is none.
const Node* mask_of(const Function& f, ValueId id);

/// Ports of the data that a value is made of; none if it depends on anything else: parameters, states.
std::vector<DataPort> ports_read(const Value& x);

}  // namespace cavs::inline v0_1
