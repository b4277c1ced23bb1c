#include "train/shuffle_buffer.h"

#include <mutex>
#include <utility>

#include "support/check.h"

namespace cavs::inline v0_1 {

ShuffleBuffer::ShuffleBuffer(std::shared_ptr<SampleStream> stream, std::int64_t size, std::uint64_t seed)
    : stream_(std::move(stream)), size_(size), seed_(seed), random_(seed, RandomPurpose::kShuffle) {
  user_check(size >= 1 && size <= UINT32_MAX, "the size of the shuffle buffer is {} samples; expected 1 to {}", size,
             UINT32_MAX);
}

void ShuffleBuffer::begin(std::int64_t epoch, std::int64_t skip) {
  const std::lock_guard lock(stream_->reading_);
  epoch_ = epoch;
  drawn_ = skip;
  begin_reading();
}

/// Reads the stream from its beginning, and draws drawn_ samples again.
void ShuffleBuffer::begin_reading() {
  stream_->reader_ = this;
  stream_->rewind();
  random_ = Random(seed_, RandomPurpose::kShuffle, static_cast<std::uint64_t>(epoch_));
  buffer_.clear();
  read_ = 0;
  for (std::int64_t sample = 0; sample < drawn_; ++sample) draw();
}

InputGraph ShuffleBuffer::next() {
  const std::lock_guard lock(stream_->reading_);
  if (stream_->reader_ != this) begin_reading();
  InputGraph sample = draw();
  ++drawn_;
  return sample;
}

InputGraph ShuffleBuffer::draw() {
  while (std::ssize(buffer_) < size_ && read_ < stream_->samples()) {
    ++read_;
    buffer_.push_back(stream_->next());
  }
  CAVS_ASSERT(!buffer_.empty());
  const std::uint32_t drawn = random_.below(static_cast<std::uint32_t>(buffer_.size()));
  std::swap(buffer_[drawn], buffer_.back());
  InputGraph sample = std::move(buffer_.back());
  buffer_.pop_back();
  return sample;
}

}  // namespace cavs::inline v0_1
