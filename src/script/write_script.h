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

/// Options of a script that is executed launch by launch. If there is streaming, the second processor is a branch of
/// launches that runs at the same time as the tasks. The branch runs chunks of lazy work and sums all gradients of
/// parameters. Without a branch, all work is in the same order.
struct LaunchedChunks {
  /// Floating-point operations per chunk (LazyChunks). A chunk costs about 4 us on an H100, for a launch, one more
  /// graph of tasks, and an event. The default takes 10 us, at the same time as tasks (predicted, unmeasured).
  double chunk_flops = 4e8;
  /// Decides whether there is a branch. kAuto means a branch if it could have at least one chunk of work.
  Streaming streaming = Streaming::kAuto;
};

/// Writes the scripts of a program and a placement. Keeps its work arrays between minibatches. Not thread-safe.
class ScriptWriter {
 public:
  /// Program and placement must outlive this object.
  /// @param launched  set if the script is executed launch by launch. With streaming, a branch (LaunchedChunks) is a
  /// second processor. A task has an entry for each of its instructions, even if the entry has no rows.
  ScriptWriter(const Program& program, const WeightPlacement& placement,
               const std::optional<LaunchedChunks>& launched = {});

  /// Makes a script. Cost: linear in the plan's steps. Allocates nothing once grown to the largest minibatch.
  /// @param shares  assignment of the plan's steps to the placement's processors (StepSharer)
  void make(const Plan& plan, const StepShares& shares, Script& script) {
    begin(plan, shares, script);
    while (advance(plan.steps.size())) {
    }
  }
  /// begin() and advance() write a script in slices, so that other work can run in between. advance() writes up to
  /// `steps` steps and returns false when all steps are written. Plan and shares must live until then.
  void begin(const Plan& plan, const StepShares& shares, Script& script);
  bool advance(std::size_t steps);

 private:
  /// The data of an instruction that scripts need. Only `uses` depends on a plan.
  struct Prepared {
    InstructionAccesses accesses;
    Slice columns;  // range in Script::parts if the instruction can be shared by columns; else empty
    std::vector<ResourceAccess> resource_accesses;
    std::vector<Hazards::Use> uses;                  // for plans whose one_parent equals one_parent_
    std::vector<std::pair<DomainId, double>> flops;  // per row of each domain of the instruction's members
  };
  using Code = std::vector<Prepared>;  // [instructions]
  /// An entry of the update of parameters, the last part of a script.
  struct UpdateEntry {
    Work work;
    std::int32_t parameter;
    std::vector<ScriptOperand> operands;
    std::vector<Hazards::Use> uses;
  };

  static constexpr std::int64_t kWorthSharing = 2048;  // elements; work on fewer elements is left to one processor

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
  std::vector<Part> ownerships_;     // which processor owns which columns; copied to the start of Script::parts
  std::vector<Slice> units_;         // [n] range in ownerships_ that divides n units; empty if none needed it
  std::vector<Slice> placed_;        // [placement.weights] range in ownerships_
  std::vector<UpdateEntry> update_;  // entries of the update, in order
  Hazards hazards_;
  std::optional<std::vector<char>> one_parent_;    // Plan::one_parent for which `uses` were found
  std::vector<char> summed_;                       // [parameters] true if an entry has written the gradient
  std::optional<LazyChunks> chunks_;               // only for launches, and if no task sums gradients of parameters
  std::array<std::int32_t, 2> last_of_{};          // last entry so far of the tasks, and of the branch
  std::int32_t last_of_forward_ = -1;              // the branch's last entry in F
  std::int32_t waited_ = -1, branch_waited_ = -1;  // last entry that the tasks, or the branch, have waited for
  const Plan* plan_ = nullptr;
  const StepShares* shares_ = nullptr;
  std::size_t step_ = 0;  // the next step to write
  Script* script_ = nullptr;
};

}  // namespace cavs::inline v0_1
