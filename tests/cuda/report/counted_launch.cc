#include "cuda/report/counted_launch.h"

#include "cuda/ptx/step_on_ptx.h"

namespace cavs::cuda {

CountedLaunch count_launch(const PersistentStep& step, const GraphSet& graphs) {
  StepOptions options;
  options.optimizer = optimizer_defaults("sgd");
  const PackedStep packed = step.pack(graphs, all_samples(graphs), options);
  const Parameters parameters(step.program().parameters, 1);
  ptx::KernelInPtx kernel(step.source(), "compute_90");
  kernel.run(step, packed, parameters, options);
  CountedLaunch counted;
  counted.entries = std::ssize(packed.script.entries);
  counted.waiting =
      std::ranges::count_if(packed.script.entries, [](const ScriptEntry& e) { return e.waits.count > 0; });
  counted.barriers = static_cast<std::int64_t>(kernel.counts().block_barriers);
  return counted;
}

}  // namespace cavs::cuda
