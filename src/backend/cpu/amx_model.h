#pragma once

#include <cstdint>

/// A model of AMX in plain code: tiles, their configuration, and the instructions, which flush denormals to zero. With
/// this model, the code of kernels_amx.cc runs and is tested on processors without AMX (kernels_amx_model.cc). As on
/// the processor, an instruction without a configuration, or on a tile of another shape, ends the process. Only in
/// builds with CAVS_TEST_KERNELS.
namespace cavs::cpu::amx_model {

/// Numbers of instructions of all threads since the start of the process.
struct Counts {
  std::int64_t configurations, releases, loads, stores, multiplications;
};
/// A null address if the model is not built.
__attribute__((weak)) Counts counts();

}  // namespace cavs::cpu::amx_model
