#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "backend/cuda/persistent/kernel_tables.h"
#include "cuda/persistent_step.h"
#include "cuda/ptx/nvrtc.h"
#include "cuda/ptx/step_on_ptx.h"

namespace cavs::cuda::ptx {

/// What ptxas says that a kernel takes, and how long it took to make it.
struct Resources {
  int weights = 0;  // registers of a lane that hold weights, as placement and tables deal them
  int registers = 0, stack = 0, spills = 0;
  double generate_seconds = 0, nvrtc_seconds = 0;
  std::string cubin;
};

/// The number before `what` in a log. -1: there is none.
inline int number_before(const std::string& log, const std::string& what) {
  const std::size_t end = log.find(what);
  if (end == std::string::npos) return -1;
  std::size_t begin = end;
  while (begin > 0 && log[begin - 1] >= '0' && log[begin - 1] <= '9') --begin;
  return std::atoi(log.c_str() + begin);
}

/// @param architecture  "sm_90", of a GPU of gpu_targets()
inline Resources resources_of(const Model& model, const std::string& architecture, const KernelOptions& options = {}) {
  using Clock = std::chrono::steady_clock;
  const auto& gpus = gpu_targets();
  const auto gpu = std::ranges::find(gpus, architecture, &OnChipTarget::name);
  const PersistentStep step(model, *gpu, options);
  Resources r;
  for (const TileShape& tile : kernel_tables(step.program(), step.placement(), options).tiles)
    r.weights += tile.slots * tile.values *
                 kernel_tables(step.program(), step.placement(), options).panels[tile.panels.front()].gates;
  const auto start = Clock::now();
  const std::string source = step.source();
  const auto generated = Clock::now();
  std::vector<std::string> all = nvrtc_options();
  all.emplace_back("--ptxas-options=-v");
  Compiled made = Nvrtc::compile(source, architecture, all);
  r.generate_seconds = std::chrono::duration<double>(generated - start).count();
  r.nvrtc_seconds = std::chrono::duration<double>(Clock::now() - generated).count();
  r.registers = number_before(made.log, " registers");
  r.stack = number_before(made.log, " bytes stack frame");
  const int stores = number_before(made.log, " bytes spill stores"),
            loads = number_before(made.log, " bytes spill loads");
  r.spills = stores < 0 || loads < 0 ? -1 : stores + loads;
  r.cubin = std::move(made.cubin);
  return r;
}

/// The instructions of a cubin; empty where there is no nvdisasm.
inline std::string disassembled(const std::string& cubin) {
  const char* const home = std::getenv("CUDA_HOME");
  for (const std::string& command :
       {std::string(home != nullptr ? home : "/usr/local/cuda") + "/bin/nvdisasm", std::string("nvdisasm")}) {
    if (std::system((command + " --version > /dev/null 2>&1").c_str()) != 0) continue;
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("cavs-" + std::to_string(std::hash<std::string>()(cubin)) + ".cubin");
    std::ofstream(file, std::ios::binary) << cubin;
    std::string text;
    if (FILE* const out = popen((command + " " + file.string()).c_str(), "r")) {
      char part[4096];
      for (std::size_t n = 0; (n = fread(part, 1, sizeof part, out)) > 0;) text.append(part, n);
      pclose(out);
    }
    std::filesystem::remove(file);
    return text;
  }
  return {};
}

/// How often an instruction of this name occurs ("LDG" of "LDG.E.CONSTANT").
inline int count_of(const std::string& sass, const std::string& name) {
  int count = 0;
  for (std::size_t at = sass.find(name + "."); at != std::string::npos; at = sass.find(name + ".", at + 1))
    count += at > 0 && sass[at - 1] == ' ' ? 1 : 0;
  return count;
}

/// No stack, no spills, and all weights in registers beside what the rest needs.
inline void expect_fits(const Resources& r) {
  EXPECT_EQ(r.stack, 0);
  EXPECT_EQ(r.spills, 0);
  EXPECT_GT(r.registers, r.weights);
  EXPECT_LE(r.registers, 255);
}

}  // namespace cavs::cuda::ptx
