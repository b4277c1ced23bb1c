#pragma once

#include <string>

#include "cavs/evaluator.h"
#include "cavs/graph.h"
#include "cavs/model.h"

namespace cavs::inline v0_1 {

/// A message that says what a metric lacks in the model or in data of this schema; empty if it can be computed.
std::string missing_for(Metric metric, const Model& model, const GraphSchema& schema);

/// @throws UserError if the metric cannot be computed.
void check_metric(Metric metric, const Model& model, const GraphSchema& schema);

/// Position of the float port of scores; -1 if the data have none.
std::int64_t score_port(const GraphSchema& schema);

}  // namespace cavs::inline v0_1
