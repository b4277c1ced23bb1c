#include <algorithm>
#include <numeric>
#include <vector>

#include "train/batches.h"
#include "train/shuffle.h"

namespace cavs::inline v0_1 {
namespace {

class MemoryBatches final : public Batches {
 public:
  MemoryBatches(const std::shared_ptr<const Program>& program, const GraphSet& data, const TrainOptions& options)
      : bound_(bind_graphs(program, data)), options_(options), order_(data.size()) {
    if (options.buckets == 0) return;
    for (std::int32_t s = 0; s < data.size(); ++s)
      sizes_.push_back(data.vertex_begin()[s + 1] - data.vertex_begin()[s]);
  }

  std::int64_t samples() const override { return std::ssize(order_); }

  Batch at(std::int64_t epoch, std::int64_t sample) override {
    if (epoch != ordered_epoch_) order_epoch(epoch);
    const auto count = std::min<std::int64_t>(options_.batch_size, samples() - sample);
    return {bound_.get(), std::span(order_).subspan(static_cast<std::size_t>(sample), static_cast<std::size_t>(count)),
            static_cast<std::uint32_t>(epoch)};
  }

 private:
  void order_epoch(std::int64_t epoch) {
    ordered_epoch_ = epoch;
    if (options_.buckets > 0)
      bucketed_order(options_.seed, epoch, {options_.buckets, options_.batch_size}, sizes_, order_);
    else if (options_.shuffle)
      shuffled_order(options_.seed, epoch, order_);
    else
      std::iota(order_.begin(), order_.end(), 0);
  }

  std::shared_ptr<const BoundGraphs> bound_;
  TrainOptions options_;
  std::int64_t ordered_epoch_ = -1;
  std::vector<std::int32_t> order_;
  std::vector<std::int64_t> sizes_;  // of the samples, where they are put into buckets
};

}  // namespace

std::unique_ptr<Batches> batches_of(const std::shared_ptr<const Program>& program, const GraphSet& data,
                                    const TrainOptions& options) {
  return std::make_unique<MemoryBatches>(program, data, options);
}

}  // namespace cavs::inline v0_1
