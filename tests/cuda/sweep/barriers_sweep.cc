// Each barrier of the kernel's text removed in turn, on fibers and in the interpreter of PTX: some model must show it.

#include <gtest/gtest.h>

#include <map>

#include "cuda/fibers/small_gpu.h"
#include "cuda/fibers/step_on_fibers.h"
#include "cuda/ptx/fault.h"
#include "cuda/ptx/nvrtc.h"
#include "cuda/ptx/step_on_ptx.h"
#include "cuda/removed_barriers.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda {
namespace {

struct Case {
  ZooCase zoo;
  PersistentStep step;
  std::shared_ptr<Parameters> parameters;
  StepOptions options;
  PackedStep packed;

  explicit Case(const std::string& model)
      : zoo(zoo_case(model, 2, 0.2)),
        step(zoo.model, few_processors(2, true), PersistentStep::kSmallBlocks),
        parameters(zoo.model.make_parameters()) {
    options.optimizer = optimizer_defaults("sgd");
    packed = step.pack(zoo.graphs, all_samples(zoo.graphs), options);
  }

  bool fibers_report(const std::string& source) const {
    std::vector<std::string> faults;
    KernelOnFibers(step, source).run(packed, *parameters, options, faults);
    return !faults.empty();
  }
  bool ptx_reports(const std::string& source) const {
    ptx::KernelInPtx kernel(source, "compute_90");
    try {
      kernel.run(step, packed, *parameters, options);
      return false;
    } catch (const ptx::Fault&) {
      return true;
    }
  }
};

void expect_reported(const std::map<std::string, int>& counts, const char* who) {
  for (const auto& [what, count] : counts) EXPECT_GT(count, 0) << who << " do not report the absence of\n" << what;
}

/// What is left of a text's barriers is looked for in the next model, as not every one has all operations.
TEST(BarriersOfText, ThatAreRemovedAreReported) {
  std::map<std::string, int> fibers, ptx;  // how often each was reported
  for (const char* model : {"tree-lstm", "lstm-nmt", "bilstm-crf", "lattice-lstm", "var-lstm"}) {
    const Case of(model);
    for (const TextMutant& mutant : without_each_barrier(of.step.source())) {
      if (int& count = fibers[mutant.what]; count == 0) count += of.fibers_report(mutant.source) ? 1 : 0;
      if (!Nvrtc::missing().empty()) continue;
      if (int& count = ptx[mutant.what]; count == 0) count += of.ptx_reports(mutant.source) ? 1 : 0;
    }
  }
  expect_reported(fibers, "fibers");
  expect_reported(ptx, "the interpreter of PTX");
}

}  // namespace
}  // namespace cavs::cuda
