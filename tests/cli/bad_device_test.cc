// GPUs that are missing or unsuitable, run by bad_input_test.cc. CAVS_STANDIN configures the stand-in.
#include <fmt/format.h>

#include "bad_input.h"

namespace cavs::testing {
namespace {

constexpr const char* kTrees = "train tree-lstm --data listops:train=8,test=0,length=9 --hidden 4 --embedding 4 ";

}  // namespace

Section bad_devices(const Workplace& place) {
  Section section{"A GPU", {}};
  /// @param name, value  of one variable in addition to those that select the stand-in
  const auto with = [&](const char* what, const std::string& says, const std::string& name, const std::string& value,
                        const std::string& options = "") {
    section.cases.push_back({what, says,
                             (name == "CAVS_STANDIN" ? "" : name + "=" + value + " ") +
                                 "cavs train tree-lstm ... --device cuda" + (options.empty() ? "" : " " + options),
                             1, [=, &place] {
                               const std::string variables = fmt::format(
                                   "CAVS_CUDA_DRIVER='{0}' CAVS_NVRTC='{0}' CAVS_CUDA_CACHE='{1}' {2}='{3}'",
                                   CAVS_CUDA_STANDIN, place.path("kernels"), name, value);
                               return place.run(kTrees + ("--device cuda " + options), "", variables);
                             }});
  };
  with("no driver",
       "there is no CUDA driver (missing/libcuda.so.1: cannot open shared object file: No such file or directory); "
       "install NVIDIA's driver (525 or later), name its library in CAVS_CUDA_DRIVER, or use device cpu",
       "CAVS_CUDA_DRIVER", "missing/libcuda.so.1");
  with("a driver that is none", "libm.so.6 has no function cuInit; expected a driver of CUDA 12 or later",
       "CAVS_CUDA_DRIVER", "libm.so.6");
  with("no compiler of kernels",
       "there is no NVRTC, which compiles kernels (missing/libnvrtc.so: cannot open shared object file: No such file "
       "or directory); 'pip install cavs[cuda]' installs it; otherwise install CUDA 12 or 13, name its library in "
       "CAVS_NVRTC, or use device cpu",
       "CAVS_NVRTC", "missing/libnvrtc.so");
  with("a driver without a GPU",
       "CUDA's driver finds no GPU; check nvidia-smi and CUDA_VISIBLE_DEVICES, or use device cpu", "CAVS_STANDIN",
       "devices=0");
  with("a GPU that is too old",
       "a stand-in has compute capability 7.5; engine batched needs 8.0 or later (A100, RTX 30): use another GPU, as "
       "in "
       "cuda:1, or device cpu",
       "CAVS_STANDIN", "compute=75");
  with("a GPU that is too new for NVRTC",
       "the GPU's architecture is sm_120, which NVRTC 99.1 does not support (it supports sm_80, sm_90); use the NVRTC "
       "of "
       "a newer CUDA (CAVS_NVRTC names a library), or device cpu",
       "CAVS_STANDIN", "compute=120");
  with("a GPU whose blocks cannot wait for each other",
       "a stand-in has compute capability 9.0 and no cooperative launch; engine persistent needs 8.0 or later (A100, "
       "RTX "
       "30) and cooperative launch (blocks that wait for each other): use another GPU, as in cuda:1, or device cpu",
       "CAVS_STANDIN", "cooperative=0", "--engine persistent");
  with("a GPU with too little memory for the parameters",
       "not enough GPU memory: <...> KiB are needed in one piece, <...> are free; try a smaller batch or "
       "hidden size, or end other programs that use the GPU",
       "CAVS_STANDIN", "memory=5000");
  with("a GPU with too little memory for a minibatch",
       "a minibatch of 8 samples with 33 vertices needs 14.4 KiB, but the limit is <...> KiB; largest: '%102' of "
       "'tree_lstm' "
       "1.6 KiB, '%<...>' of 'tree_lstm' 768 bytes, '%<...>' of 'tree_lstm' 768 bytes; try a smaller batch or hidden "
       "size",
       "CAVS_STANDIN", "memory=24000");
  with("a kernel that breaks off",
       "a kernel was aborted: cuEventSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (of the stand-in); its results "
       "are lost; continue from the last checkpoint, and please report this (docs/guide/gpu.md); run engine "
       "batched "
       "again with CAVS_CUDA_LAUNCHES=waited, which names the kernel",
       "CAVS_STANDIN", "fail_launch=1");
  with("an engine that a GPU does not have",
       "device cuda has no engine reference; use engine batched or persistent, or device cpu", "CAVS_STANDIN", "",
       "--engine reference");
  section.cases.push_back({"unknown device", "--device: unknown device 'gpu'; did you mean 'cpu'? known: cpu, cuda",
                           "cavs train tree-lstm --device gpu", 2,
                           [&place] { return place.run("train tree-lstm --device gpu"); }});
  section.cases.push_back({"a measurement of the CPU, on a GPU",
                           "--ablate, --breakdown, --weight-traffic, --batch-sizes and "
                           "--policies measure the CPU; leave --device out",
                           "cavs bench tree-fc --ablate --device cuda", 2,
                           [&place] { return place.run("bench tree-fc --ablate --device cuda"); }});
  return section;
}

}  // namespace cavs::testing
