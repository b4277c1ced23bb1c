#include "execute/cuda/caller_memory.h"

namespace cavs::cuda {

void CallerMemory::read(std::span<float> values) const {
  stream_.download(values.data(), values_, bytes_);
  stream_.synchronise();
}

void CallerMemory::write(std::span<const float> values) {
  stream_.upload(values_, values.data(), bytes_);
  stream_.synchronise();
}

}  // namespace cavs::cuda
