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

inline std::int64_t samples_per_step(const TrainOptions& options) {
  return std::int64_t{options.batch_size} * options.accumulate;
}

/// Where the minibatches of training come from: a pure function of their position.
class Batches {
 public:
  virtual ~Batches() = default;
  /// Of an epoch.
  virtual std::int64_t samples() const = 0;
  /// A hash of all data; and whether they are a stream.
  virtual std::uint64_t content_hash() const = 0;
  virtual bool streams() const = 0;
  /// Minibatch `number` of the step that begins at this sample of an epoch. A step consists of batch_size * accumulate
  /// samples, or of those that remain in the epoch. They are dealt to `accumulate` minibatches, at most one per sample
  /// (DealtStep). A result is valid until the third call after it. Cheapest in ascending order.
  virtual Batch at(std::int64_t epoch, std::int64_t sample, std::int64_t number) = 0;
};

/// Of data in memory: shuffled by (seed, epoch), in buckets, or in file order. The data must outlive it.
std::unique_ptr<Batches> batches_of(const std::shared_ptr<const Program>& program, const GraphSet& data,
                                    const TrainOptions& options);

/// Of a stream, through a shuffle buffer.
std::unique_ptr<Batches> batches_of(const std::shared_ptr<const Program>& program, std::shared_ptr<SampleStream> stream,
                                    const TrainOptions& options);

}  // namespace cavs::inline v0_1
