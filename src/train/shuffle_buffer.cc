#include "train/shuffle_buffer.h"

#include <utility>

#include "support/check.h"

namespace cavs {

ShuffleBuffer::ShuffleBuffer(std::shared_ptr<SampleStream> stream, std::int64_t size, std::uint64_t seed)
    : stream_(std::move(stream)), size_(size), seed_(seed), random_(seed, RandomPurpose::kShuffle) {
  user_check(size >= 1 && size <= UINT32_MAX, "the shuffle buffer has room for {} samples; expected 1 to {}", size,
             UINT32_MAX);
}

void ShuffleBuffer::begin(std::int64_t epoch, std::int64_t skip) {
  stream_->rewind();
  random_ = Random(seed_, RandomPurpose::kShuffle, static_cast<std::uint64_t>(epoch));
  buffer_.clear();
  read_ = 0;
  while (skip-- > 0) next();
}

InputGraph ShuffleBuffer::next() {
  while (std::ssize(buffer_) < size_ && read_ < stream_->samples()) ++read_, buffer_.push_back(stream_->next());
  CAVS_ASSERT(!buffer_.empty());
  const std::uint32_t drawn = random_.below(static_cast<std::uint32_t>(buffer_.size()));
  std::swap(buffer_[drawn], buffer_.back());
  InputGraph sample = std::move(buffer_.back());
  buffer_.pop_back();
  return sample;
}

}  // namespace cavs
