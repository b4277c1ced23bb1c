#pragma once

#include <cstdint>

/// AMX in plain code, so that the code of kernels_amx.cc runs, and is tested, on processors that have none
/// (kernels_amx_model.cc): tiles, their configuration, and the instructions, with zeros for all numbers below the
/// normal ones. An instruction without a configuration, or on a tile of another shape than its, ends the process, as
/// on the processor. Only in builds with CAVS_TEST_KERNELS.
namespace cavs::cpu::amx_model {

/// Instructions of all threads since the process began.
struct Counts {
  std::int64_t configurations, releases, loads, stores, multiplications;
};
/// The null address where the model is not built.
__attribute__((weak)) Counts counts();

}  // namespace cavs::cpu::amx_model
