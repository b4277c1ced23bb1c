#pragma once

#include <cstdint>
#include <vector>

#include "cavs/session_options.h"
#include "plan/step_ranges.h"
#include "share/step_sharer.h"

namespace cavs::inline v0_1 {

/// A chunk: vertices of a lazy step of F for which one worker can run the step's leading instructions
/// (CodeCost::by_rows) as soon as some steps of the plan are done. This is called streaming (Cavs, section 3.4).
struct Chunk {
  std::int32_t step = 0;   // number of the lazy step in the plan
  Slice ranges = {};       // entries of TeamPlan::ranges, in the form of Step::ranges
  std::int32_t after = 0;  // number of first steps of the plan that must be done before; kNever if it is not streamed
  static constexpr std::int32_t kNever = INT32_MAX;
};

/// The assignment of a plan's work to a team of threads.
struct TeamPlan {
  StepShares shares;                 // [steps of the plan] share of the step
  std::vector<Chunk> chunks;         // ordered by `after`; chunks of a type are in row order
  std::vector<std::int32_t> ranges;  // Chunk::ranges of all chunks

  RowRange vertices(const Chunk& chunk) const {
    const std::int32_t* const rows = ranges.data() + chunk.ranges.begin + 2 * kVertexRows;
    return {rows[0], rows[1]};
  }
};

/// Makes team plans, and reuses its work arrays. Call it from one thread at a time.
class TeamPlanner {
 public:
  /// The program must outlive the object.
  TeamPlanner(const Program& program, Streaming streaming, int workers);

  /// Makes a team plan. If streaming is requested, or saves time, cuts chunks; worker 0 then runs all small tasks of F.
  /// Cost: as for StepSharer::share.
  void make(const Minibatch& minibatch, const Schedule& schedule, const Plan& plan, TeamPlan& team);

 private:
  bool leaves_idle(const Step& step) const;
  bool is_worth_it(const Plan& plan) const;
  void add_chunks(const Plan& plan, TeamPlan& team);
  void cut(const Plan& plan, std::int32_t step, TeamPlan& team);
  void leave_last_to_team(const Plan& plan, TeamPlan& team) const;

  const Program& program_;
  const Streaming streaming_;
  StepSharer sharer_;
  StepRanges ranges_;
  std::vector<std::int32_t> lazy_step_;  // [types] number of the lazy step of F in the plan
  std::vector<std::int32_t> begin_;      // [types] first vertex row that is in no chunk yet
};

}  // namespace cavs::inline v0_1
