#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "cavs/trainer.h"
#include "cuda/standin/stand_in.h"
#include "helpers/compare.h"

// Fixtures shared by the tests of a GPU's engines.

namespace cavs::cuda {

/// Options for the engine under test.
inline SessionOptions gpu_session{.device = {DeviceKind::kCuda}};

/// Caches kernels for the following tests.
class CudaTest : public StandInTest {
 protected:
  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }

 private:
  static std::string folder() { return testing::TempDir() + "cavs-engine-" + std::to_string(getpid()); }
  Variable cache_{"CAVS_CUDA_CACHE", folder()};
};

class CudaEngines : public CudaTest, public testing::WithParamInterface<EngineKind> {
 protected:
  CudaEngines() { gpu_session.engine = GetParam(); }
};

/// Tests of engine persistent only.
class CudaPersistent : public CudaTest {
 protected:
  CudaPersistent() { gpu_session.engine = EngineKind::kPersistent; }
};
class CudaBatched : public CudaTest {
 protected:
  CudaBatched() { gpu_session.engine = EngineKind::kBatched; }
};

inline TrainOptions options_of(const char* optimizer, const SessionOptions& session = gpu_session) {
  TrainOptions options;
  options.batch_size = 2;
  options.session = session;
  options.gradient_norm = true;
  options.optimizer = optimizer_defaults(optimizer);
  options.optimizer.lr = 0.01;
  return options;
}

/// Compares the parameters of two trainers, up to the rounding errors of some steps.
inline void expect_close_parameters(Trainer& found, Trainer& expected, const std::string& what) {
  for (int p = 0; p < expected.parameters().size(); ++p)
    expect_close(found.parameters().values(p), expected.parameters().values(p),
                 what + ", " + expected.parameters().info(p).name, 1e-4);
}

inline std::string name_of(const std::string& model) {
  std::string name = model;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == ' '; }, '_');
  return name;
}

}  // namespace cavs::cuda
