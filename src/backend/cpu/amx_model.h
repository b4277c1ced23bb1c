#pragma once

#include <cstdint>

/// A model of AMX (Intel's matrix instructions) in plain code: tiles, their configuration, and the instructions, which
/// flush denormals to zero. With this model, the code of kernels_amx.cc is tested on processors without AMX
/// (kernels_amx_model.cc). As on a real processor, an instruction without a configuration, or on a tile of another
/// shape, ends the process. The model exists only in builds with CAVS_TEST_KERNELS.
namespace cavs::cpu::amx_model {

/// Numbers of modelled instructions that all threads have executed since the start of the process.
struct Counts {
  std::int64_t configurations, releases, loads, stores, multiplications;
};
/// Returns the current numbers. In a build without the model, this function's address is null.
__attribute__((weak)) Counts counts();

}  // namespace cavs::cpu::amx_model
