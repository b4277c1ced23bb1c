#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "support/unique_number.h"

namespace cavs::inline v0_1::detail {

/// A row-major array of floats, of which engines may have copies: packed for products, or in the memory of a GPU. The
/// array records which copy has the newest values, and read() first copies these to the host. A writer calls touch().
/// An engine records the version of the array that it has copied, and calls mark_copy_newest() after it has changed its
/// copy. Any number of engines may have copies. If the memory is the caller's, on the host or on a device, it always
/// has the newest values. Threads may read concurrently, but not while another thread writes.
class Array {
 public:
  /// A copy of the values that an engine keeps.
  class Copy {
   public:
    virtual ~Copy() = default;
    /// Copies all values to memory of the host.
    virtual void read(std::span<float> values) const = 0;
  };
  /// Memory of the caller on a device. After writing to it, the caller calls mark_device_memory_newest(), then touch().
  class Home : public Copy {
   public:
    /// Copies newer values of the host to the device.
    virtual void write(std::span<const float> values) = 0;
  };

  explicit Array(std::vector<float> values) : owned_(std::move(values)), host_(owned_) {}
  /// Uses memory of the caller, which must outlive the array.
  explicit Array(std::span<float> memory) : host_(memory) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  std::size_t size() const { return host_.size(); }
  /// False if the values are in memory that the caller owns.
  bool is_owned() const { return home_ == nullptr && (!owned_.empty() || host_.empty()); }
  /// Makes `memory` of the caller, which has the same size, the memory of the array. The array gets its values.
  void bind(float* memory);
  void bind(std::shared_ptr<Home> home);
  /// Returns the caller's memory on a device; nullptr if there is none.
  const std::shared_ptr<Home>& home() const { return home_; }

  /// Returns the newest values, on the host. The view is valid until an engine changes its copy.
  std::span<const float> read() const {
    bring_back();
    return host_;
  }
  std::span<float> open() {
    bring_back();
    return host_;
  }
  /// Call after the values were written. Marks all copies as old.
  void touch();
  /// Returns a number that changes with each touch() and differs from the versions of all other arrays.
  std::uint64_t version() const { return version_; }

  /// Marks the copy as newest. read() copies its values to the host; memory that the caller owns gets them at once.
  void mark_copy_newest(std::shared_ptr<const Copy> copy);
  /// Marks the caller's memory on a device as newest, after the caller has written to it.
  void mark_device_memory_newest();
  bool is_left_to(const Copy& copy) const { return only_copy_is_newest() && copy_.get() == &copy; }
  /// True if only a copy has the newest values.
  bool only_copy_is_newest() const { return is_old_.load(std::memory_order_acquire); }
  /// Returns the copy with the newest values; nullptr if the host has them.
  std::shared_ptr<const Copy> newest() const;

 private:
  void bring_back() const {
    if (only_copy_is_newest()) fetch();
  }
  void fetch() const;

  std::vector<float> owned_;
  std::span<float> host_;
  std::shared_ptr<Home> home_;
  std::uint64_t version_ = unique_number();
  mutable std::atomic<bool> is_old_{false};
  mutable std::mutex mutex_;  // guards copy_
  mutable std::shared_ptr<const Copy> copy_;
};

}  // namespace cavs::inline v0_1::detail
