#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Tells another thread which dense gradients a backward pass has completed. Engines need not count gradients: then all
/// gradients are complete at finish().
class GradientProgress {
 public:
  explicit GradientProgress(std::size_t parameters) : left_(parameters) {}

  /// Call before a backward pass. Marks all gradients as incomplete.
  void begin() {
    for (std::atomic<std::int32_t>& left : left_) left.store(kUnknown, std::memory_order_relaxed);
  }
  /// Call before the workers of the pass begin. The gradient will be complete after `writes` > 0 calls of count().
  void expect(std::size_t parameter, std::int32_t writes) { left_[parameter].store(writes, std::memory_order_relaxed); }
  /// Call when a worker has written its part of the gradient in one instruction. Any thread may call it.
  void count(std::size_t parameter) {
    if (left_[parameter].fetch_sub(1, std::memory_order_acq_rel) == 1) left_[parameter].notify_all();
  }
  /// Call when the pass has ended or failed. Ends all calls of wait().
  void finish() {
    for (std::atomic<std::int32_t>& left : left_) {
      left.store(0, std::memory_order_release);
      left.notify_all();
    }
  }
  /// Returns when the gradient is complete.
  void wait(std::size_t parameter) const {
    const std::atomic<std::int32_t>& left = left_[parameter];
    for (std::int32_t now = 0; (now = left.load(std::memory_order_acquire)) > 0;) left.wait(now);
  }

 private:
  static constexpr std::int32_t kUnknown = std::numeric_limits<std::int32_t>::max();
  std::vector<std::atomic<std::int32_t>> left_;  // [parameters] calls of count() still to come
};

/// Calls f(number of the parameter) for each dense gradient that an instruction writes.
template <typename F>
void each_dense_gradient(const Instruction& i, F f) {
  for (const Operand& o : i.out)
    if (o.kind == StorageKind::kParameterGradient) f(static_cast<std::size_t>(o.id));
}

/// Returns the numbers of the dense parameters whose gradients may be complete before a backward pass ends, in the
/// order of their last writers in ∂F. Gradients that tasks write are excluded, since engines complete them at the end.
std::vector<std::size_t> early_gradients(const Program& program);

}  // namespace cavs::inline v0_1
