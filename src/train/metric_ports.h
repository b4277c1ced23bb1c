#pragma once

#include <string>

#include "cavs/evaluator.h"
#include "cavs/graph.h"
#include "cavs/model.h"

namespace cavs::inline v0_1 {

/// What a metric lacks of a model and data of this schema; empty: it can be computed.
std::string missing_for(Metric metric, const Model& model, const GraphSchema& schema);

/// @throws UserError if the metric cannot be computed.
void check_metric(Metric metric, const Model& model, const GraphSchema& schema);

/// Position of the float port of scores; -1 where the data have none.
std::int64_t score_port(const GraphSchema& schema);

}  // namespace cavs::inline v0_1
