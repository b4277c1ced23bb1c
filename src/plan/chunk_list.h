#pragma once

#include <cstdint>
#include <vector>

#include "cavs/session_options.h"
#include "plan/plan_draft.h"
#include "plan/step_ranges.h"

namespace cavs {

/// Streaming (Cavs, section 3.4): what of the lazy steps of F idle workers can do while one runs small tasks.
class ChunkList {
 public:
  ChunkList(Streaming streaming, const StepRanges& ranges) : streaming_(streaming), ranges_(ranges) {}

  /// Lists the chunks, where streaming is on or gains, and leaves the small tasks of F to worker 0.
  void add_to(PlanDraft& draft);

 private:
  void cut(PlanDraft& draft, std::int32_t step);

  const Streaming streaming_;
  const StepRanges& ranges_;
  std::vector<std::int32_t> begin_;  // [types] first row that is in no chunk yet
};

}  // namespace cavs
