#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cavs/data.h"
#include "cavs/session.h"
#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// A minibatch as Session::forward takes it.
struct Batch {
  const BoundGraphs* graphs = nullptr;
  std::span<const std::int32_t> samples;
  std::uint32_t dropout_epoch = 0;  // tells its dropout masks from those of equal sample numbers
};

/// Where the minibatches of training come from: a pure function of their position.
class Batches {
 public:
  virtual ~Batches() = default;
  /// Of an epoch.
  virtual std::int64_t samples() const = 0;
  /// The minibatch behind the first `sample` ones of an epoch, which ends at batch_size samples or with the epoch. What
  /// the call before the last gave is no longer valid. Cheapest in ascending order.
  virtual Batch at(std::int64_t epoch, std::int64_t sample) = 0;
};

/// Of data in memory: shuffled by (seed, epoch), in buckets, or in file order. The data must outlive it.
std::unique_ptr<Batches> batches_of(const std::shared_ptr<const Program>& program, const GraphSet& data,
                                    const TrainOptions& options);

/// Of a stream, through a shuffle buffer.
std::unique_ptr<Batches> batches_of(const std::shared_ptr<const Program>& program, std::shared_ptr<SampleStream> stream,
                                    const TrainOptions& options);

}  // namespace cavs::inline v0_1
