#include "tensor/array.h"

namespace cavs::inline v0_1::detail {

void Array::bind(float* memory) {
  is_old_ = false;
  copy_ = nullptr;
  home_ = nullptr;
  host_ = {memory, host_.size()};
  owned_ = {};
  touch();
}

void Array::bind(std::shared_ptr<Home> home) {
  if (owned_.empty()) {
    owned_.resize(host_.size());
    host_ = owned_;
  }
  home_ = std::move(home);
  mark_device_memory_newest();
  touch();
}

void Array::touch() {
  version_ = unique_number();
  if (home_ != nullptr && !only_copy_is_newest()) home_->write(host_);
}

void Array::mark_copy_newest(std::shared_ptr<const Copy> copy) {
  if (!is_owned()) {
    copy->read(host_);
    if (home_ != nullptr) home_->write(host_);
    return is_old_.store(false, std::memory_order_release);
  }
  const std::lock_guard lock(mutex_);
  copy_ = std::move(copy);
  is_old_.store(true, std::memory_order_release);
}

void Array::mark_device_memory_newest() {
  const std::lock_guard lock(mutex_);
  copy_ = home_;
  is_old_.store(true, std::memory_order_release);
}

std::shared_ptr<const Array::Copy> Array::newest() const {
  const std::lock_guard lock(mutex_);
  return only_copy_is_newest() ? copy_ : nullptr;
}

void Array::fetch() const {
  const std::lock_guard lock(mutex_);
  if (!only_copy_is_newest()) return;  // another thread has copied the values meanwhile
  copy_->read(host_);
  copy_ = nullptr;
  is_old_.store(false, std::memory_order_release);
}

}  // namespace cavs::inline v0_1::detail
