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
#include "script/resource_table.h"
#include "script/script.h"
#include "share/step_sharer.h"

namespace cavs::inline v0_1 {

/// Streaming in a script that is executed launch by launch. A second processor is a branch beside the tasks, which runs
/// chunks of lazy work and sums all gradients of parameters. Without a branch, the order of all work is the same.
struct LaunchedChunks {
  /// Floating-point operations per chunk (LazyChunks). A chunk costs about 4 us on an H100: a launch, one more graph of
  /// tasks, and an event. This number of operations takes 10 us, which the branch hides (predicted, unmeasured).
  double chunk_flops = 4e8;
  /// Says when there is a branch. kAuto means: when its possible work is at least one chunk.
  Streaming streaming = Streaming::kAuto;
};

/// Makes scripts for a program and a placement. Keeps its work arrays between minibatches. Not thread-safe.
class ScriptWriter {
 public:
  /// Program and placement must outlive this object.
  /// @param launched  set if the script is executed launch by launch, by one processor (or two, with a branch); then a
  /// task has an entry for each of its instructions, even without rows
  ScriptWriter(const Program& program, const WeightPlacement& placement,
               const std::optional<LaunchedChunks>& launched = {});

  /// Makes a script. Cost: linear in the plan's steps. Allocates nothing once grown to the largest minibatch.
  /// @param shares  assignment of the plan's steps to the placement's processors (StepSharer)
  void make(const Plan& plan, const StepShares& shares, Script& script) {
    begin(plan, shares, script);
    while (advance(plan.steps.size())) {
    }
  }
  /// Makes a script in slices, in the slack of other work: advance() writes up to `steps` steps and returns false when
  /// all are done. Plan and shares must live until then.
  void begin(const Plan& plan, const StepShares& shares, Script& script);
  bool advance(std::size_t steps);

 private:
  /// Properties of an instruction that do not depend on a plan.
  struct Prepared {
    InstructionAccesses accesses;
    Slice columns;  // range in Script::parts if it can be shared by columns; else empty
    std::vector<ResourceAccess> resource_accesses;
    std::vector<Hazards::Use> uses;                  // for the current plan
    std::vector<std::pair<DomainId, double>> flops;  // per row, for the instruction or its members
  };
  using Code = std::vector<Prepared>;
  /// An entry of the update.
  struct UpdateEntry {
    Work work;
    std::int32_t parameter;
    std::vector<ScriptOperand> operands;
    std::vector<Hazards::Use> uses;
  };

  static constexpr std::int64_t kWorthSharing = 2048;  // elements; less than this is one processor's work

  Prepared prepare(std::int32_t type, Stage stage, const Instruction& instruction);
  void prepare_update();
  void find_uses(const std::vector<char>& one_parent);
  Slice own_units(std::int32_t units);
  void write_update();
  void write_update(const UpdateEntry& update);
  bool sums_in_tasks() const;
  void begin_chunks(const Plan& plan, Script& script);
  void write_chunk(const LazyChunk& chunk);
  void write_entry(const Step& step, const StepShare& workers, const Instruction& instruction, const Prepared& prepared,
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
  ResourceTable resource_table_;
  std::vector<std::array<std::array<Code, 3>, 2>> code_;  // [types][backward][stage]
  std::vector<Part> ownerships_;                          // column ownerships, the first parts of every script
  std::vector<Slice> units_;         // [units] range in ownerships_ with neighbouring units for each processor
  std::vector<Slice> placed_;        // [placement.weights]
  std::vector<UpdateEntry> update_;  // the end of every script
  Hazards hazards_;
  std::optional<std::vector<char>> one_parent_;    // of the last plan
  std::vector<char> summed_;                       // [parameters] true once an entry has written the gradient
  std::optional<LazyChunks> chunks_;               // none if tasks sum gradients, or if there are many processors
  std::array<std::int32_t, 2> last_of_{};          // last entries of the tasks and of the branch
  std::int32_t last_of_forward_ = -1;              // last entry of the branch in F
  std::int32_t waited_ = -1, branch_waited_ = -1;  // last entries that were waited for
  const Plan* plan_ = nullptr;
  const StepShares* shares_ = nullptr;
  std::size_t step_ = 0;  // the next step
  Script* script_ = nullptr;
};

}  // namespace cavs::inline v0_1
