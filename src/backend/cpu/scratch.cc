#include "backend/cpu/kernels.h"

namespace cavs::cpu {

float* Scratch::floats(std::size_t count) {
  if (count > size_) {
    data_.reset();  // before the allocation, because the contents need not be kept
    size_ = 0;
    data_ = aligned_floats(count);
    size_ = count;
  }
  return data_.get();
}

}  // namespace cavs::cpu
