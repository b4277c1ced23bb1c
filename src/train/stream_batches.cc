#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "support/check.h"
#include "train/batches.h"
#include "train/shuffle_buffer.h"

namespace cavs::inline v0_1 {
namespace {

class StreamBatches final : public Batches {
 public:
  StreamBatches(std::shared_ptr<const Program> program, std::shared_ptr<SampleStream> stream,
                const TrainOptions& options)
      : program_(std::move(program)),
        samples_(stream->samples()),
        batch_size_(options.batch_size),
        schema_(stream->schema()),
        buffer_(std::move(stream), options.shuffle ? options.shuffle_buffer : 1, options.seed) {
    user_check(options.buckets == 0,
               "buckets is {} with a stream; expected 0: only data in memory are put into buckets", options.buckets);
  }

  std::int64_t samples() const override { return samples_; }

  Batch at(std::int64_t epoch, std::int64_t sample) override {
    for (const Held& held : held_)
      if (held.bound != nullptr && held.epoch == epoch && held.sample == sample) return batch(held);
    if (epoch != epoch_ || sample != next_) buffer_.begin(epoch, sample);
    read(held_[0], epoch, sample);  // the one that was read last stays, even if this fails
    std::swap(held_[0], held_[1]);
    return batch(held_[1]);
  }

 private:
  /// A minibatch in memory. What `bound` refers to stays where it is.
  struct Held {
    std::int64_t epoch = -1, sample = -1;
    std::unique_ptr<GraphSet> graphs;
    std::shared_ptr<const BoundGraphs> bound;
    std::vector<std::int32_t> numbers;
  };

  void read(Held& held, std::int64_t epoch, std::int64_t sample) {
    held = {};
    auto graphs = std::make_unique<GraphSet>(schema_);
    const std::int64_t end = std::min(sample + batch_size_, samples_);
    epoch_ = -1;  // until the minibatch has been read
    for (std::int64_t i = sample; i < end; ++i) graphs->add(buffer_.next(), "a sample of the stream");
    held.bound = bind_graphs(program_, *graphs);
    held.numbers.resize(end - sample);
    std::iota(held.numbers.begin(), held.numbers.end(), 0);
    held.epoch = epoch, held.sample = sample, held.graphs = std::move(graphs);
    epoch_ = epoch, next_ = end;
  }

  /// Samples are numbered anew in each minibatch, so each has masks of its own.
  Batch batch(const Held& held) const {
    const std::int64_t batches = (samples_ + batch_size_ - 1) / batch_size_;
    return {held.bound.get(), held.numbers,
            static_cast<std::uint32_t>(held.epoch * batches + held.sample / batch_size_)};
  }

  std::shared_ptr<const Program> program_;
  std::int64_t samples_, batch_size_;
  GraphSchema schema_;
  ShuffleBuffer buffer_;
  std::array<Held, 2> held_;            // the one that was read last is the second
  std::int64_t epoch_ = -1, next_ = 0;  // where the buffer stands
};

}  // namespace

std::unique_ptr<Batches> batches_of(const std::shared_ptr<const Program>& program, std::shared_ptr<SampleStream> stream,
                                    const TrainOptions& options) {
  user_check(stream != nullptr, "there is no stream to train on; expected one, as load_data gives with stream on");
  return std::make_unique<StreamBatches>(program, std::move(stream), options);
}

}  // namespace cavs::inline v0_1
