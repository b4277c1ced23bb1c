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

/// The engines that execute plans: engine(Name, "name") for each. src/execute/engine_list.inc lists their devices.
/// batched     the team of threads shares every instruction of a step
/// reference   one vertex at a time, in plain loops and float64; tests compare with it; slow by design
/// persistent  each processor of a GPU keeps its columns of every weight of the tasks and waits only for its inputs;
///             bits differ from the CPU's
#define CAVS_ENGINES(engine) engine(Batched, "batched") engine(Reference, "reference") engine(Persistent, "persistent")

enum class EngineKind : std::uint8_t {
#define CAVS_ENGINE(Name, text) k##Name,
  CAVS_ENGINES(CAVS_ENGINE)
#undef CAVS_ENGINE
};

/// The kinds of devices: device(Name, "name") for each.
/// cpu   the threads of the process
/// cuda  NVIDIA GPUs (docs/guide/gpu.md has the memory layout and the limits); bits differ from the CPU's
#define CAVS_DEVICES(device) device(Cpu, "cpu") device(Cuda, "cuda")

enum class DeviceKind : std::uint8_t {
#define CAVS_DEVICE(Name, text) k##Name,
  CAVS_DEVICES(CAVS_DEVICE)
#undef CAVS_DEVICE
};

/// The device of a session: the CPU, or one of several GPUs, by number.
struct Device {
  DeviceKind kind = DeviceKind::kCpu;
  int index = 0;  // number of the GPU, from 0, in CUDA's order (see CUDA_VISIBLE_DEVICES); 0 for the CPU
  bool operator==(const Device&) const = default;
};

/// Returns "cpu", "cuda" (for number 0) or a name like "cuda:1".
std::string to_string(Device device);
/// Returns the device of this name; "cuda" means "cuda:0". @throws UserError for an unknown kind or an invalid number.
Device device_named(std::string_view name);

/// The precision of matrix products. kBf16 rounds operands to bf16 (8 significant bits), kTf32 to TF32 (11); sums,
/// states, parameters and all else stay fp32. On the CPU, kBf16 needs AMX or AVX-512 BF16; other processors use fp32
/// (see Session::precision). kTf32 works only on GPUs, with engine batched.
enum class Precision : std::uint8_t { kFp32, kBf16, kTf32 };

/// Turns streaming on or off. Streaming computes lazy values at the same time as tasks (Cavs, section 3.4). A lazy
/// value, such as the scores of an output layer, is one that no parent needs. On a CPU, threads without a task compute
/// lazy values; engine kBatched of a GPU computes lazy values and gradients of parameters on a second stream. Results
/// are bit-identical without streaming. On a CPU, kAuto turns streaming on in inference if tasks and lazy values are
/// each at least an eighth of the work, unless there are more threads than processors or several tasks run at the same
/// time. On a GPU, kAuto turns streaming on if there is enough such work.
enum class Streaming : std::uint8_t { kAuto, kOn, kOff };

/// Names of the values of EngineKind, DeviceKind, Precision or Streaming, in order.
template <typename Option>
std::span<const std::string_view> option_names();
template <typename Option>
std::string_view to_string(Option option) {
  return option_names<Option>()[static_cast<std::size_t>(option)];
}
/// The option of this name. @throws UserError with the known names if there is none.
template <typename Option>
Option option_named(std::string_view name);

/// The engine of a session on this device: `asked` if present, else the default of the device.
/// @throws UserError if the device does not have this engine; the message lists its engines.
EngineKind engine_on(DeviceKind device, std::optional<EngineKind> asked = std::nullopt);
/// The instructions for bf16 products on this processor: "amx", "avx512_bf16", or "avx512_bf16_fma" where avx512_bf16
/// is slow; "emulated" if the environment has CAVS_BF16=emulate; empty if the processor has none.
std::string_view bf16_instructions();

struct SessionOptions {
  int threads = 1;  // number of threads that work on a run, including the caller's
  Device device = {};
  std::optional<EngineKind> engine = std::nullopt;  // absent means batched
  // frontier (alias depth), agenda, ratio, serial, fsm (the policy `learned`) or fsm:FILE; see policies().
  std::string policy = "frontier";
  std::shared_ptr<const LearnedPolicy> learned = nullptr;  // the policy for "fsm"; else null
  Precision precision = Precision::kFp32;
  Streaming streaming = Streaming::kAuto;
  // Smallest number of elements of a weight whose gradient may be deferred to the update (Run::backward). For gradients
  // that are sums over at most 64 rows, the smallest number is 1/64 of this.
  std::int64_t defer_from = 1 << 18;
  std::int64_t memory_limit = 0;  // most bytes of one run; 0 means 90 % of the device's available memory
  std::uint64_t seed = 1;         // seed of dropout
  bool profile = false;           // true to measure the time of each kind of instruction
  bool time_kernels = false;      // true to launch and time each kernel alone (engine kBatched of a GPU); slow
  // Validates every script (the work of each processor) that engine kPersistent makes. If a script has a fault, the
  // forward pass throws an InternalError that names it. Slow: visits every number that a minibatch reads or writes.
  bool check_scripts = false;
};

}  // namespace v0_1
}  // namespace cavs
