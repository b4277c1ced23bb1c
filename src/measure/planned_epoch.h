#pragma once

#include <functional>

#include "cavs/session_options.h"
#include "compile/program.h"
#include "pack/minibatch.h"
#include "plan/plan.h"

namespace cavs {

/// Calls f with the plan of every minibatch of an epoch in file order, each valid until f returns.
/// @param workers  that a plan divides small tasks among
void each_plan_of_epoch(const Program& program, const GraphSet& data, int batch_size, const SessionOptions& session,
                        int workers, const std::function<void(const Plan&)>& f);

}  // namespace cavs
