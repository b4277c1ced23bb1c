#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cavs/model.h"
#include "ir/function.h"

namespace cavs {

/// The index port that tells where a port of the data has something: 0 where a vertex has a row (of a float port) or a
/// number (of an index port), -1 elsewhere. Data do not have it; it is made when graphs are bound.
std::string presence_of(std::string_view port);
/// The port whose presence an index port tells; none if it is an ordinary one.
std::optional<std::string_view> port_of_presence(std::string_view name);

/// x where the vertex has something on all these ports of the data; 0, without gradient, elsewhere.
Value where_present(const Value& x, const std::vector<std::string>& ports);
/// The port of such a mask; none if the node is none.
std::optional<std::string_view> masked_port(const Function& f, ValueId id);

/// Ports of the data that a value is made of; none if it depends on anything else: parameters, states.
std::vector<std::string> ports_read(const Value& x);

}  // namespace cavs
