#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "support/unique_number.h"

namespace cavs::detail {

/// Floats on the host, row-major, of which engines have copies: packed for products, or in the memory of a GPU. It
/// knows where the newest values are. A reader gets a view of the host's, which are brought up to date first; a writer
/// says that it has written (touch); an engine notes the version that it has copied, and when it has changed its copy
/// leaves the newest values there. Any number of engines may have copies.
/// Threads may read at the same time; nobody may read while somebody writes.
class Array {
 public:
  /// A copy that an engine has.
  class Copy {
   public:
    virtual ~Copy() = default;
    /// Writes all values to the host's memory.
    virtual void read(std::span<float> values) const = 0;
  };

  explicit Array(std::vector<float> values) : owned_(std::move(values)), host_(owned_) {}
  /// In the caller's memory, which outlives this.
  explicit Array(std::span<float> memory) : host_(memory) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  std::size_t size() const { return host_.size(); }
  bool is_owned() const { return !owned_.empty() || host_.empty(); }
  /// The caller's memory, of the same size, takes the place of ours with the values that it has.
  void bind(float* memory);

  /// The host's values. The view is valid until an engine changes its copy.
  std::span<const float> read() const { return bring_back(), host_; }
  std::span<float> open() { return bring_back(), host_; }
  /// Says that the host's values were written: all copies are older.
  void touch();
  /// Differs after each touch(), and from all versions of other arrays.
  std::uint64_t version() const { return version_; }

  /// Leaves the newest values to the copy: the host has them when somebody reads. What is in the caller's memory is
  /// copied there at once.
  void leave_to(std::shared_ptr<const Copy> copy);
  bool is_left_to(const Copy& copy) const { return is_old() && copy_.get() == &copy; }
  /// Whether a copy alone has the newest values.
  bool is_old() const { return is_old_.load(std::memory_order_acquire); }

 private:
  void bring_back() const {
    if (is_old()) fetch();
  }
  void fetch() const;

  std::vector<float> owned_;
  std::span<float> host_;
  std::uint64_t version_ = unique_number();
  mutable std::atomic<bool> is_old_{false};
  mutable std::mutex mutex_;  // of copy_
  mutable std::shared_ptr<const Copy> copy_;
};

}  // namespace cavs::detail
