#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cuda/batched/launch_list.h"
#include "backend/cuda/entries/pack_script.h"
#include "cavs/device_passes.h"
#include "execute/cuda/pull_rows.h"
#include "execute/cuda_batched/loaded_program.h"
#include "execute/engine.h"
#include "script/write_script.h"

namespace cavs::cuda {

/// Indices in KernelArguments::callers: inputs, then outputs, gradients of outputs, and gradients of inputs.
struct CallerNumbers {
  std::size_t inputs = 0, outputs = 0;  // numbers of inputs and of outputs
  std::size_t output(std::size_t o) const { return inputs + o; }
  std::size_t output_gradient(std::size_t o) const { return inputs + outputs + o; }
  std::size_t input_gradient(std::size_t i) const { return inputs + 2 * outputs + i; }
  std::size_t count() const { return 2 * (inputs + outputs); }
};

/// Layout of the memory of a pass, in byte offsets. The host sends the part from `image` to `spread`.
struct CallerLayout {
  std::int64_t halves = 0;  // KernelArguments::halves and weight_halves follow the arena; empty without bf16
  std::int64_t weight_halves = 0;
  std::int64_t image = 0;    // follows the halves
  std::int64_t pulls = 0;    // pointers to the rows of float ports and of kept states
  std::int64_t weights = 0;  // KernelArguments::weights (pointers)
  std::int64_t callers = 0;  // KernelArguments::callers (pointers)
  std::int64_t words = 0;    // packed script (packed_script.h)
  std::int64_t steps = 0;    // KernelArguments::steps
  std::int64_t pulled = 0;   // rows of the data set's float ports
  std::int64_t spread = 0;   // copies of input rows in the order of vertices, for inputs that are not read in place
  std::int64_t end = 0;
};

}  // namespace cavs::cuda

namespace cavs::inline v0_1 {

struct DevicePlan::Content {
  struct Copies {
    int begin = 0, end = 0;  // range of numbers of packed copies
    std::size_t caller = 0;  // index in KernelArguments::callers of the array that is copied
  };
  /// Memory of the caller that is cleared first, because some rows may receive no copy.
  struct Clear {
    std::size_t caller = 0;
    std::int64_t bytes = 0;  // size of the memory
  };

  std::vector<std::int32_t> words;
  std::vector<float> pulled;               // rows of the data set's float ports
  std::vector<std::int64_t> pulled_begin;  // [float ports + 1] offset of the port's rows in `pulled`
  cuda::CallerLayout layout;
  cuda::LaunchList launches;
  std::int64_t stretches = 0;             // position of the stretches in the words
  std::int32_t backward = 0, update = 0;  // see Script
  std::vector<std::int32_t> given;        // [inputs] number of the float port if the caller supplies the input, else -1
  std::vector<std::int64_t> spread;       // [inputs] offset in floats of its rows in part `spread`; -1 if read in place
  Copies spreads, outputs, output_gradients;
  std::vector<Copies> input_gradients;             // one range per input; in a network, one per copy of gradients
  std::vector<Clear> clears, clears_back;          // before outputs, and before gradients of inputs, are copied
  std::vector<std::vector<std::int32_t>> touched;  // [parameters] rows of the table that get a gradient
  const void* made_by = nullptr;                   // the DevicePasses::Impl that made the plan
};

}  // namespace cavs::inline v0_1

namespace cavs::cuda {

/// Makes plans for DevicePasses. Not thread-safe.
class CallerPlanner {
 public:
  /// All arguments must outlive this object.
  CallerPlanner(const Program& program, const DevicePasses::Ports& ports, LoadedProgram& loaded,
                const SessionOptions& options);

  /// @param list  function that lists the launches of a script (LaunchLister::list)
  /// @param caller_rows, rows  see DevicePasses::plan
  std::shared_ptr<DevicePlan::Content> make(const PreparedBatch& batch, std::span<const std::int64_t> caller_rows,
                                            std::int64_t rows,
                                            const std::function<void(const Plan&, const Script&, LaunchList&)>& list);

 private:
  void pack_copies(const PreparedBatch& batch, const Plan& plan, std::span<const std::int64_t> caller_rows,
                   std::int64_t rows, DevicePlan::Content& made);
  void add_copies(const Plan& plan, std::vector<Output> TypeProgram::*outputs, const std::string& port, CopyKind kind,
                  std::size_t caller);
  int width_of_port(const std::string& port, std::vector<Output> TypeProgram::*outputs) const;

  const Program& program_;
  const DevicePasses::Ports& ports_;
  LoadedProgram& loaded_;
  const SessionOptions& options_;
  PullRows pulls_;
  ScriptWriter writer_;
  ScriptPacker packer_;
  StepShares shares_;
  Script script_;
  std::vector<CallerCopy> copies_;
};

}  // namespace cavs::cuda
