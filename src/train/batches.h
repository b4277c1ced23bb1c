#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cavs/data.h"
#include "cavs/session.h"
#include "cavs/trainer.h"

namespace cavs::inline v0_1 {

/// The arguments of Session::forward for one minibatch.
struct Batch {
  const BoundGraphs* graphs = nullptr;
  std::span<const std::int32_t> samples;
  std::uint32_t dropout_epoch = 0;  // ForwardOptions::epoch: samples of equal number have different masks if it differs
};

inline std::int64_t samples_per_step(const TrainOptions& options) {
  return std::int64_t{options.batch_size} * options.accumulate;
}

/// The source of training minibatches. A minibatch is a pure function of its position in training.
class Batches {
 public:
  virtual ~Batches() = default;
  /// Number of samples of an epoch.
  virtual std::int64_t samples() const = 0;
  /// content_hash() is a hash of all data. streams() is true if the data are a stream.
  virtual std::uint64_t content_hash() const = 0;
  virtual bool streams() const = 0;
  /// Returns minibatch `number` of the step that begins at this sample of an epoch. A step has batch_size * accumulate
  /// samples, or the rest of the epoch, dealt to at most `accumulate` minibatches that are not empty (DealtStep). The
  /// result is valid until the third later call. Calls in ascending order are fastest.
  virtual Batch at(std::int64_t epoch, std::int64_t sample, std::int64_t number) = 0;
};

/// Returns minibatches of data in memory: shuffled by (seed, epoch), in buckets, or in the order of the data. `data`
/// must outlive the result.
std::unique_ptr<Batches> batches_of(const std::shared_ptr<const Program>& program, const GraphSet& data,
                                    const TrainOptions& options);

/// Returns minibatches of a stream, drawn from a shuffle buffer.
std::unique_ptr<Batches> batches_of(const std::shared_ptr<const Program>& program, std::shared_ptr<SampleStream> stream,
                                    const TrainOptions& options);

}  // namespace cavs::inline v0_1
