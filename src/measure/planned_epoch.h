#pragma once

#include <functional>

#include "cavs/session_options.h"
#include "execute/engine.h"

namespace cavs::inline v0_1 {

/// Calls f with every minibatch of an epoch in file order and its plan, valid until f returns.
void each_plan_of_epoch(const Program& program, const GraphSet& data, int batch_size, const SessionOptions& session,
                        const std::function<void(const PreparedBatch&)>& f);

}  // namespace cavs::inline v0_1
