#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cavs/version.h"

namespace cavs::inline v0_1 {
struct LearnedPolicy;
}

namespace cavs {
inline namespace CAVS_API v0_1 {

/// The engines that execute plans: engine(Name, "name") for each. Which devices have which: execute/engine_list.inc.
/// batched     the team of threads shares every instruction of a step
/// reference   one vertex at a time, plain loops, float64: what tests compare with, slow by design
/// persistent  each processor of a GPU keeps its columns of every weight of the tasks and waits only for what it reads;
///             other bits than the CPU's
#define CAVS_ENGINES(engine) engine(Batched, "batched") engine(Reference, "reference") engine(Persistent, "persistent")

enum class EngineKind : std::uint8_t {
#define CAVS_ENGINE(Name, text) k##Name,
  CAVS_ENGINES(CAVS_ENGINE)
#undef CAVS_ENGINE
};

/// The kinds of devices: device(Name, "name") for each.
/// cpu   the threads of the process
/// cuda  NVIDIA GPUs (docs/guide/gpu.md says what is kept where, and what is lacking); other bits than the CPU's
#define CAVS_DEVICES(device) device(Cpu, "cpu") device(Cuda, "cuda")

enum class DeviceKind : std::uint8_t {
#define CAVS_DEVICE(Name, text) k##Name,
  CAVS_DEVICES(CAVS_DEVICE)
#undef CAVS_DEVICE
};

/// What a session runs on: the CPU, or one of several GPUs by its number.
struct Device {
  DeviceKind kind = DeviceKind::kCpu;
  int index = 0;  // from 0; of GPUs, in the order in which CUDA shows them (CUDA_VISIBLE_DEVICES chooses)
  bool operator==(const Device&) const = default;
};

/// "cpu", "cuda:1"; number 0 is left out.
std::string to_string(Device device);
/// The device of this name: "cuda" is "cuda:0". @throws UserError for an unknown kind or a number that is none.
Device device_named(std::string_view name);

/// The precision of matrix products. kBf16 rounds their operands to bf16 (8 significant bits), kTf32 to TF32 (11);
/// sums, states, parameters and all else stay fp32. On the CPU kBf16 needs a processor with AMX or with AVX-512 for
/// bf16; on others fp32 is used (Session::precision tells). kTf32 is of GPUs, engine batched.
enum class Precision : std::uint8_t { kFp32, kBf16, kTf32 };

/// Whether lazy values, which no parent reads, such as the scores of an output layer, are computed beside tasks (Cavs,
/// section 3.4): by threads that have no task, or by a GPU's engine kBatched on a second stream, with gradients of
/// parameters. It changes no bit of any result. kAuto: on a CPU on in inference, if tasks and lazy values are each at
/// least an eighth of the work, off with more threads than processors, or if tasks run at the same time; on a GPU on
/// where there is enough of such work.
enum class Streaming : std::uint8_t { kAuto, kOn, kOff };

/// Names of EngineKind, DeviceKind, Precision or Streaming, in the order of their values.
template <typename Option>
std::span<const std::string_view> option_names();
template <typename Option>
std::string_view to_string(Option option) {
  return option_names<Option>()[static_cast<std::size_t>(option)];
}
/// The option of this name. @throws UserError naming the known ones, if there is none.
template <typename Option>
Option option_named(std::string_view name);

/// The engine of a session on this device: `asked`, or the default of the device.
/// @throws UserError if the device has no such engine, with the names of those that it has.
EngineKind engine_on(DeviceKind device, std::optional<EngineKind> asked = std::nullopt);
/// The instructions that compute products of bf16 on this processor: "amx", "avx512_bf16", or "avx512_bf16_fma" where
/// the second is slow; "emulated" if the environment has CAVS_BF16=emulate; empty if the processor has none.
std::string_view bf16_instructions();

struct SessionOptions {
  int threads = 1;  // threads that work on a run, the caller's included
  Device device = {};
  std::optional<EngineKind> engine = std::nullopt;  // none: batched
  // frontier (= depth), agenda, ratio, serial, fsm (as `learned` says) or fsm:FILE, see cavs/policy.h.
  std::string policy = "frontier";
  std::shared_ptr<const LearnedPolicy> learned = nullptr;  // of policy "fsm"
  Precision precision = Precision::kFp32;
  Streaming streaming = Streaming::kAuto;
  // Smallest weight, in elements, whose gradient may be computed by the update instead of backward (Run::backward);
  // a 64th of it where at most 64 rows are summed.
  std::int64_t defer_from = 1 << 18;
  std::int64_t memory_limit = 0;  // bytes of one run; 0: 90 % of the device's memory that is available
  std::uint64_t seed = 1;         // of dropout
  bool profile = false;           // measure the time of each kind of instruction
  bool time_kernels = false;      // engine kBatched of a GPU launches its kernels one by one, and measures each: slow
  // Validates every script of engine kPersistent when it is made; a fault throws InternalError, which names it, where
  // the run is asked for. Slow: goes through every number that a minibatch reads and writes. Changes no bit.
  bool check_scripts = false;
};

}  // namespace v0_1
}  // namespace cavs
