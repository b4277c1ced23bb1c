#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "support/check.h"
#include "train/batches.h"
#include "train/dealt_step.h"
#include "train/shuffle_buffer.h"

namespace cavs::inline v0_1 {
namespace {

class StreamBatches final : public Batches {
 public:
  StreamBatches(std::shared_ptr<const Program> program, std::shared_ptr<SampleStream> stream,
                const TrainOptions& options)
      : program_(std::move(program)),
        stream_(stream),
        samples_(stream->samples()),
        batch_size_(options.batch_size),
        accumulate_(options.accumulate),
        schema_(stream->schema()),
        buffer_(std::move(stream), options.shuffle ? options.shuffle_buffer : 1, options.seed) {
    user_check(options.buckets == 0, "buckets is {} with a stream; expected 0: buckets need data in memory",
               options.buckets);
  }

  std::int64_t samples() const override { return samples_; }
  std::uint64_t content_hash() const override { return stream_->content_hash(); }
  bool streams() const override { return true; }

  Batch at(std::int64_t epoch, std::int64_t sample, std::int64_t number) override {
    for (const Held& held : held_)
      if (held.bound != nullptr && held.epoch == epoch && held.sample == sample && held.number == number)
        return batch(held);
    if (epoch != epoch_ || sample != first_) read(epoch, sample);
    bind(held_[0], number);  // replaces the oldest minibatch; the others stay valid even if binding fails
    std::rotate(held_.begin(), held_.begin() + 1, held_.end());
    return batch(held_.back());
  }

 private:
  /// A minibatch in memory. `bound` refers to `graphs`, whose address is stable.
  struct Held {
    std::int64_t epoch = -1, sample = -1, number = -1;
    std::unique_ptr<GraphSet> graphs;
    std::shared_ptr<const BoundGraphs> bound;
    std::vector<std::int32_t> numbers;  // 0, 1, ...: the samples in `graphs`
  };

  /// Reads and deals the step that begins at this sample.
  void read(std::int64_t epoch, std::int64_t sample) {
    if (epoch != epoch_ || sample != next_) buffer_.begin(epoch, sample);
    epoch_ = -1;  // marks the step as not read, in case reading fails
    graphs_.clear();
    sizes_.clear();
    next_ = std::min(sample + batch_size_ * accumulate_, samples_);
    for (std::int64_t i = sample; i < next_; ++i) {
      graphs_.push_back(buffer_.next());
      sizes_.push_back(std::ssize(graphs_.back().types));
    }
    step_.deal(numbers_to(next_ - sample), accumulate_, sizes_);
    epoch_ = epoch;
    first_ = sample;
  }

  void bind(Held& held, std::int64_t number) {
    held = {};
    auto graphs = std::make_unique<GraphSet>(schema_);
    const std::span<const std::int32_t> samples = step_.minibatch(number);
    for (const std::int32_t sample : samples) graphs->add(graphs_[sample], "a sample of the stream");
    held.bound = bind_graphs(program_, *graphs);
    held.numbers = numbers_to(std::ssize(samples));
    held.graphs = std::move(graphs);
    held.epoch = epoch_;
    held.sample = first_;
    held.number = number;
  }

  static std::vector<std::int32_t> numbers_to(std::int64_t end) {
    std::vector<std::int32_t> numbers(end);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }

  /// Samples are numbered from 0 in each minibatch, so each minibatch needs its own dropout epoch to have its own
  /// masks.
  Batch batch(const Held& held) const {
    const std::int64_t step = batch_size_ * accumulate_;
    const std::int64_t batches = accumulate_ * ((samples_ + step - 1) / step);
    return {held.bound.get(), held.numbers,
            static_cast<std::uint32_t>(held.epoch * batches + held.sample / batch_size_ + held.number)};
  }

  std::shared_ptr<const Program> program_;
  std::shared_ptr<const SampleStream> stream_;
  std::int64_t samples_, batch_size_, accumulate_;
  GraphSchema schema_;
  ShuffleBuffer buffer_;
  std::vector<InputGraph> graphs_;                  // samples of the step that was read last
  std::vector<std::int64_t> sizes_;                 // [samples of this step]: number of vertices
  DealtStep step_;                                  // minibatches of this step, as positions in `graphs_`
  std::int64_t epoch_ = -1, first_ = 0, next_ = 0;  // epoch, first sample and end of this step
  std::array<Held, 3> held_;                        // the latest minibatches, oldest first
};

}  // namespace

std::unique_ptr<Batches> batches_of(const std::shared_ptr<const Program>& program, std::shared_ptr<SampleStream> stream,
                                    const TrainOptions& options) {
  user_check(stream != nullptr,
             "there is no stream to train on; expected one, as load_data returns with option `stream`");
  return std::make_unique<StreamBatches>(program, std::move(stream), options);
}

}  // namespace cavs::inline v0_1
