#pragma once

#include <string>

#include "cavs/evaluator.h"
#include "cavs/graph.h"
#include "cavs/model.h"

namespace cavs::inline v0_1 {

/// Returns a message about what a metric needs but the model or data of this schema lack; empty if they lack nothing.
std::string missing_for(Metric metric, const Model& model, const GraphSchema& schema);

/// @throws UserError if the metric cannot be computed.
void check_metric(Metric metric, const Model& model, const GraphSchema& schema);

/// Position of the float port of scores; -1 if the data have none.
std::int64_t score_port(const GraphSchema& schema);

}  // namespace cavs::inline v0_1
