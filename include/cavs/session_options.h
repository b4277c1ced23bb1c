#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cavs {

struct LearnedPolicy;

/// The engines that execute plans: engine(Name, "name") for each.
/// batched    the team of threads shares every instruction of a step
/// reference  one vertex at a time, plain loops, float64: what tests compare with, slow by design
#define CAVS_ENGINES(engine) engine(Batched, "batched") engine(Reference, "reference")

enum class EngineKind : std::uint8_t {
#define CAVS_ENGINE(Name, text) k##Name,
  CAVS_ENGINES(CAVS_ENGINE)
#undef CAVS_ENGINE
};

/// Of products. kBf16 rounds their operands; sums, states, parameters and all else stay fp32. It needs a processor with
/// AMX, or AVX-512 for bf16; elsewhere fp32 is used, see Session::precision.
enum class Precision : std::uint8_t { kFp32, kBf16 };

/// Whether, while one worker runs small tasks, the others run lazy rows (Cavs, section 3.4). Changes no bit. kAuto: in
/// inference, where both are at least an eighth of the work; not with more threads than processors, nor where tasks run
/// side by side.
enum class Streaming : std::uint8_t { kAuto, kOn, kOff };

/// Names of EngineKind, Precision or Streaming, in the order of their values.
template <typename Option>
std::span<const std::string_view> option_names();
template <typename Option>
std::string_view to_string(Option option) {
  return option_names<Option>()[static_cast<std::size_t>(option)];
}
/// @throws UserError naming the known ones, if `name` is none of them.
template <typename Option>
Option option_named(std::string_view name);

struct SessionOptions {
  int threads = 1;  // number of busy threads, the caller's included
  EngineKind engine = EngineKind::kBatched;
  // frontier (= depth), agenda, ratio, serial, fsm (as `learned` says) or fsm:FILE, see cavs/policy.h.
  std::string policy = "frontier";
  std::shared_ptr<const LearnedPolicy> learned = nullptr;  // of policy "fsm"
  Precision precision = Precision::kFp32;
  Streaming streaming = Streaming::kAuto;
  // Orders the rows of a task as later tasks gather them, so that more gathers read contiguous rows. Costs about 15 ns
  // a vertex (docs/measurements/layout.md). Outputs keep their bits; sums over rows, such as gradients, do not.
  bool order_rows = false;
  // Smallest weight, in elements, whose gradient may be computed by the update instead of backward (Run::backward).
  std::int64_t defer_from = 1 << 18;
  std::int64_t memory_limit = 0;  // bytes of one run; 0: 90 % of the memory that is available
  std::uint64_t seed = 1;         // of dropout
  bool profile = false;           // measure the time of each kind of instruction
};

}  // namespace cavs
