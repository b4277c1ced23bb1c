#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cavs/graph.h"

namespace cavs {

/// One graph of a schema that is known; `number` is its line in `name`. Limits are left to GraphSet::add.
/// @throws UserError that starts with "name:number".
InputGraph parse_jsonl_graph(std::string_view text, const std::string& name, std::int64_t number,
                             const GraphSchema& schema);

}  // namespace cavs
