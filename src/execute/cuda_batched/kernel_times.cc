#include "execute/cuda_batched/kernel_times.h"

#include <algorithm>

namespace cavs::cuda {

void KernelTimes::begin(const Stream& stream) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30, kOfFree = 64, kWord = 4;  // uses 1/kOfFree of free memory
  constexpr int kTimes = 4;  // times that delay_ is cleared, each half a millisecond on an H100
  if (delay_.bytes() == 0) delay_.reserve(std::min(kMost, device_->free_memory() / kOfFree));
  for (int k = 0; k < kTimes; ++k) stream.clear(delay_.at(), delay_.bytes() / kWord * kWord);
  record(stream, std::nullopt, {});
}

void KernelTimes::record(const Stream& stream, std::optional<KernelKind> kind, const TileUse& use) {
  if (used_ == marks_.size()) marks_.emplace_back(device_);
  Mark& mark = marks_[used_++];
  mark.kind = kind;
  mark.use = use;
  stream.record(mark.event);
}

void KernelTimes::take(KernelWorks& works, TileFit& tiles) const {
  for (std::size_t k = 1; k < used_; ++k) {
    const Mark& mark = marks_[k];
    if (!mark.kind) continue;
    const double milliseconds = mark.event.milliseconds_since(marks_[k - 1].event);
    works[static_cast<std::size_t>(*mark.kind)].ms += milliseconds;
    tiles.add(mark.use, milliseconds);
  }
}

}  // namespace cavs::cuda
