#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/jsonl_line.h"

namespace cavs::inline v0_1 {

/// The graphs of a sample as one, their vertices one after the other, and behind them that of `top` (where there is
/// one), whose children are the roots of the graphs. A port that one of them lacks is absent there.
/// @throws UserError that starts with `where`, if there is no graph, `top` is not one vertex, or a port is written in
/// several ways.
JsonlLine join_graphs(std::vector<JsonlLine> graphs, std::optional<JsonlLine> top, const std::string& where);

}  // namespace cavs::inline v0_1
