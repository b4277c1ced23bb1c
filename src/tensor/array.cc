#include "tensor/array.h"

namespace cavs::detail {

void Array::bind(float* memory) {
  is_old_ = false, copy_ = nullptr;
  host_ = {memory, host_.size()};
  owned_ = {};
  touch();
}

void Array::touch() { version_ = unique_number(); }

void Array::leave_to(std::shared_ptr<const Copy> copy) {
  if (!is_owned()) return copy->read(host_);
  const std::lock_guard lock(mutex_);
  copy_ = std::move(copy);
  is_old_.store(true, std::memory_order_release);
}

void Array::fetch() const {
  const std::lock_guard lock(mutex_);
  if (!is_old()) return;  // another thread was faster
  copy_->read(host_);
  copy_ = nullptr;
  is_old_.store(false, std::memory_order_release);
}

}  // namespace cavs::detail
