#include "backend/cpu/kernels.h"

namespace cavs::cpu {

float* Scratch::floats(std::size_t count) {
  if (count > size_) {
    data_.reset();
    size_ = 0;  // frees the memory before the larger block is allocated, because the contents are lost anyway
    data_ = aligned_floats(count);
    size_ = count;
  }
  return data_.get();
}

}  // namespace cavs::cpu
