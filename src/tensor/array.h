#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "support/unique_number.h"

namespace cavs::inline v0_1::detail {

/// Floats, row-major, of which engines have copies: packed for products, or in the memory of a GPU. It knows where the
/// newest values are. A reader gets a view of the host's, which are brought up to date first; a writer says that it has
/// written (touch); an engine notes the version that it has copied, and when it has changed its copy leaves the newest
/// values there. Any number of engines may have copies. The caller's memory, of the host or of a device, always has the
/// newest values.
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
  /// Memory of the caller's on a device. The caller says that it has written there with left_home(), then touch().
  class Home : public Copy {
   public:
    /// Takes over newer values of the host's.
    virtual void write(std::span<const float> values) = 0;
  };

  explicit Array(std::vector<float> values) : owned_(std::move(values)), host_(owned_) {}
  /// In the caller's memory, which outlives this.
  explicit Array(std::span<float> memory) : host_(memory) {}
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  std::size_t size() const { return host_.size(); }
  /// False where the values are bound to memory of the caller's.
  bool is_owned() const { return home_ == nullptr && (!owned_.empty() || host_.empty()); }
  /// The caller's memory, of the same size, takes the place of ours with the values that it has.
  void bind(float* memory);
  void bind(std::shared_ptr<Home> home);
  /// The caller's memory on a device; nullptr: there is none.
  const std::shared_ptr<Home>& home() const { return home_; }

  /// The host's values. The view is valid until an engine changes its copy.
  std::span<const float> read() const { return bring_back(), host_; }
  std::span<float> open() { return bring_back(), host_; }
  /// Says that values were written, the host's where none were left elsewhere: all copies are older.
  void touch();
  /// Differs after each touch(), and from all versions of other arrays.
  std::uint64_t version() const { return version_; }

  /// Leaves the newest values to the copy: the host has them when somebody reads. The caller's memory gets them at
  /// once.
  void leave_to(std::shared_ptr<const Copy> copy);
  /// Somebody has written the newest values to the caller's memory on a device.
  void left_home();
  bool is_left_to(const Copy& copy) const { return is_old() && copy_.get() == &copy; }
  /// Whether a copy alone has the newest values.
  bool is_old() const { return is_old_.load(std::memory_order_acquire); }
  /// That copy; nullptr where the host has them.
  std::shared_ptr<const Copy> newest() const;

 private:
  void bring_back() const {
    if (is_old()) fetch();
  }
  void fetch() const;

  std::vector<float> owned_;
  std::span<float> host_;
  std::shared_ptr<Home> home_;
  std::uint64_t version_ = unique_number();
  mutable std::atomic<bool> is_old_{false};
  mutable std::mutex mutex_;  // of copy_
  mutable std::shared_ptr<const Copy> copy_;
};

}  // namespace cavs::inline v0_1::detail
