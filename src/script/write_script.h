#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cavs/session_options.h"
#include "placement/placement.h"
#include "plan/plan.h"
#include "script/accesses.h"
#include "script/lazy_chunks.h"
#include "script/script.h"
#include "script/touches.h"
#include "share/step_sharer.h"

namespace cavs::inline v0_1 {

/// How a script that is carried out launch by launch streams. A second processor is a branch beside the tasks, which
/// runs chunks of lazy work and sums all gradients of parameters; without it all has the same order.
struct LaunchedChunks {
  /// Floating-point operations of a chunk (LazyChunks). A chunk costs some 4 us of an H100: a launch, a graph of tasks
  /// more, and an event. So many operations take it 10 us, which is then saved (predicted, unmeasured).
  double chunk_flops = 4e8;
  /// Whether there is a branch. kAuto: where what it may run has as many operations as a chunk.
  Streaming streaming = Streaming::kAuto;
};

/// Makes scripts for a program and a placement; keeps its work arrays from one minibatch to the next. One thread at a
/// time.
class ScriptWriter {
 public:
  /// Program and placement outlive it.
  /// @param launched  the script is carried out launch by launch, by one processor: a task has an entry for each of its
  ///                  instructions, also for those without rows
  ScriptWriter(const Program& program, const WeightPlacement& placement,
               const std::optional<LaunchedChunks>& launched = {});

  /// Cost: linear in the plan's steps. Allocates nothing once grown to the largest minibatch.
  /// @param shares  of the plan's steps among the placement's processors (StepSharer)
  void make(const Plan& plan, const StepShares& shares, Script& script) {
    begin(plan, shares, script);
    while (advance(plan.steps.size())) {
    }
  }
  /// The same in slices, so that it can be done in the slack of other work: so many steps; false when all are done.
  /// Plan and shares stay until then.
  void begin(const Plan& plan, const StepShares& shares, Script& script);
  bool advance(std::size_t steps);

 private:
  /// What is known of an instruction before there is a plan.
  struct Prepared {
    InstructionAccesses accesses;
    Slice columns;  // Script::parts, where it is shared by columns; none: it can't be
    std::vector<Touch> touches;
    std::vector<Hazards::Use> uses;                  // of the plan at hand
    std::vector<std::pair<DomainId, double>> flops;  // a row, of it or of its members
  };
  using Code = std::vector<Prepared>;
  /// An entry of the update.
  struct UpdateEntry {
    Work work;
    std::int32_t parameter;
    std::vector<ScriptOperand> operands;
    std::vector<Hazards::Use> uses;
  };

  static constexpr std::int64_t kWorthSharing = 2048;  // elements; less is one processor's work

  Prepared prepare(std::int32_t type, Stage stage, const Instruction& instruction);
  void prepare_update();
  void find_uses(const std::vector<char>& one_parent);
  Slice own_units(std::int32_t units);
  void write_update();
  void write_update(const UpdateEntry& update);
  bool sums_in_tasks() const;
  void begin_chunks(const Plan& plan, Script& script);
  void write_chunk(const LazyChunk& chunk);
  void write_entry(const Step& step, const StepShare& who, const Instruction& instruction, const Prepared& prepared,
                   RowRange rows);
  void wait_for_tasks(ScriptEntry& entry);
  void write_waits(std::span<const Hazards::Use> uses, bool side_by_side, ScriptEntry& entry);
  void share(const Step& step, const Instruction& instruction, const Prepared& prepared, ScriptEntry& entry);
  void share_rows(const Step& step, const Instruction& instruction, const Prepared& prepared, ScriptEntry& entry);
  bool divides(const Prepared& prepared, RowRange rows) const;
  void share_product(const Prepared& prepared, ScriptEntry& entry);
  template <typename Cut>
  void cut_rows(ScriptEntry& entry, Cut cut);
  void write_members(const Step& step, const InstructionAccesses& accesses, ScriptEntry& entry);
  bool is_view_of_gradients(const Step& step, const MemberAccesses& member) const;
  void add_load(double flops, const ScriptEntry& entry);
  std::int64_t elements(std::int32_t parameter) const;

  const Program& program_;
  const WeightPlacement& placement_;
  const std::optional<LaunchedChunks> launched_;
  Touches touches_;
  std::vector<std::array<std::array<Code, 3>, 2>> code_;  // [types][backward][stage]
  std::vector<Part> ownerships_;                          // of columns, which begin every script's parts
  std::vector<Slice> units_;                              // [units] in ownerships_: neighbouring ones
  std::vector<Slice> placed_;                             // [placement.weights]
  std::vector<UpdateEntry> update_;                       // the end of every script
  Hazards hazards_;
  std::optional<std::vector<char>> one_parent_;    // of the last plan
  std::vector<char> summed_;                       // [parameters] some entry has written the gradient
  std::optional<LazyChunks> chunks_;               // none where tasks sum gradients, or many processors do
  std::array<std::int32_t, 2> last_of_{};          // the last entries of a script with a branch
  std::int32_t last_of_forward_ = -1;              // of the branch
  std::int32_t waited_ = -1, branch_waited_ = -1;  // the last that was waited for
  const Plan* plan_ = nullptr;
  const StepShares* shares_ = nullptr;
  std::size_t step_ = 0;  // the next
  Script* script_ = nullptr;
};

}  // namespace cavs::inline v0_1
