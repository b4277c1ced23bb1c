#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "pack/minibatch.h"
#include "train/batches.h"
#include "train/dealt_step.h"
#include "train/shuffle.h"

namespace cavs::inline v0_1 {
namespace {

class MemoryBatches final : public Batches {
 public:
  MemoryBatches(const std::shared_ptr<const Program>& program, const GraphSet& data, const TrainOptions& options)
      : bound_(bind_graphs(program, data)), options_(options), order_(data.size()) {
    if (options.buckets == 0 && options.accumulate == 1) return;
    for (std::int32_t s = 0; s < data.size(); ++s)
      sizes_.push_back(data.vertex_begin()[s + 1] - data.vertex_begin()[s]);
  }

  std::int64_t samples() const override { return std::ssize(order_); }
  std::uint64_t content_hash() const override { return cavs::content_hash(bound_->graphs()); }
  bool streams() const override { return false; }

  Batch at(std::int64_t epoch, std::int64_t sample, std::int64_t number) override {
    return {bound_.get(), step(epoch, sample).minibatch(number), static_cast<std::uint32_t>(epoch)};
  }

 private:
  struct Held {
    std::int64_t epoch = -1, sample = -1;  // where the step begins; -1 if there is no step
    DealtStep step;
  };

  const DealtStep& step(std::int64_t epoch, std::int64_t sample) {
    for (const Held& held : held_)
      if (held.epoch == epoch && held.sample == sample) return held.step;
    if (epoch != ordered_epoch_) order_epoch(epoch);
    Held& held = held_[0];  // the oldest step; the other steps stay valid even if dealing fails
    const std::int64_t count = std::min(samples_per_step(options_), samples() - sample);
    held.epoch = -1;
    held.step.deal(std::span(order_).subspan(sample, count), options_.accumulate, sizes_);
    held.epoch = epoch;
    held.sample = sample;
    std::rotate(held_.begin(), held_.begin() + 1, held_.end());
    return held_.back().step;
  }

  void order_epoch(std::int64_t epoch) {
    ordered_epoch_ = epoch;
    if (options_.buckets > 0)
      bucketed_order(options_.seed, epoch, {options_.buckets, samples_per_step(options_)}, sizes_, order_);
    else if (options_.shuffle)
      shuffled_order(options_.seed, epoch, order_);
    else
      std::iota(order_.begin(), order_.end(), 0);
  }

  std::shared_ptr<const BoundGraphs> bound_;
  TrainOptions options_;
  std::int64_t ordered_epoch_ = -1;
  std::vector<std::int32_t> order_;
  std::array<Held, 3> held_;         // the latest steps, oldest first
  std::vector<std::int64_t> sizes_;  // [samples]: number of vertices; empty unless buckets or dealing need it
};

}  // namespace

std::unique_ptr<Batches> batches_of(const std::shared_ptr<const Program>& program, const GraphSet& data,
                                    const TrainOptions& options) {
  return std::make_unique<MemoryBatches>(program, data, options);
}

}  // namespace cavs::inline v0_1
