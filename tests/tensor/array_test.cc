#include "tensor/array.h"

#include <gmock/gmock.h>

#include <set>

namespace cavs::detail {
namespace {

using testing::Each;
using testing::ElementsAre;

/// A copy with equal elements, which counts how often it is read.
class Constant final : public Array::Copy {
 public:
  explicit Constant(float value) : value_(value) {}
  void read(std::span<float> values) const override {
    std::ranges::fill(values, value_);
    ++reads;
  }
  mutable int reads = 0;

 private:
  float value_;
};

TEST(Array, ReadsAStaleArrayFromItsCopyOnce) {
  Array array(std::vector<float>{1, 2});
  EXPECT_THAT(array.read(), ElementsAre(1, 2));
  const auto copy = std::make_shared<const Constant>(5.0F), other = std::make_shared<const Constant>(6.0F);
  array.mark_copy_newest(copy);
  EXPECT_TRUE(array.is_left_to(*copy));
  EXPECT_FALSE(array.is_left_to(*other));
  EXPECT_EQ(copy->reads, 0) << "no values were requested";
  for (int i = 0; i < 2; ++i) EXPECT_THAT(array.read(), Each(5));
  EXPECT_EQ(copy->reads, 1);
  EXPECT_EQ(copy.use_count(), 1) << "released";
  EXPECT_FALSE(array.only_copy_is_newest());
}

TEST(Array, ReadsFromTheLastCopy) {
  Array array(std::vector<float>(3));
  const auto first = std::make_shared<const Constant>(1.0F), second = std::make_shared<const Constant>(2.0F);
  array.mark_copy_newest(first);
  array.mark_copy_newest(second);
  EXPECT_EQ(first.use_count(), 1);
  EXPECT_THAT(array.open(), Each(2));
  EXPECT_EQ(first->reads, 0);
}

TEST(Array, EveryVersionIsUnique) {
  Array a(std::vector<float>(1)), b(std::vector<float>(1));
  std::set<std::uint64_t> versions{a.version(), b.version()};
  for (int i = 0; i < 3; ++i) {
    a.touch();
    b.touch();
    versions.insert({a.version(), b.version()});
  }
  EXPECT_EQ(versions.size(), 8U);
}

/// The caller reads this memory directly.
TEST(Array, InTheCallersMemoryIsAlwaysUpToDate) {
  std::vector<float> memory{1, 2};
  Array bound(std::span<float>{memory}), later(std::vector<float>{3, 4});
  EXPECT_FALSE(bound.is_owned());
  bound.mark_copy_newest(std::make_shared<const Constant>(7.0F));
  EXPECT_THAT(memory, Each(7));
  EXPECT_FALSE(bound.only_copy_is_newest());
  const std::uint64_t version = later.version();
  later.mark_copy_newest(std::make_shared<const Constant>(8.0F));
  later.bind(memory.data());
  EXPECT_GT(later.version(), version);
  EXPECT_THAT(later.read(), Each(7)) << "binding discards the values of the copy";
}

/// Memory that only this object can read, like memory of a device.
class Far final : public Array::Home {
 public:
  explicit Far(std::vector<float> values) : values(std::move(values)) {}
  void read(std::span<float> to) const override {
    std::ranges::copy(values, to.begin());
    ++reads;
  }
  void write(std::span<const float> from) override { values.assign(from.begin(), from.end()); }
  std::vector<float> values;
  mutable int reads = 0;
};

TEST(Array, InTheCallersDeviceMemoryIsReadOnlyIfNewer) {
  const auto far = std::make_shared<Far>(std::vector<float>{1, 2});
  Array array(std::vector<float>(2));
  array.bind(far);
  EXPECT_FALSE(array.is_owned());
  for (int i = 0; i < 2; ++i) EXPECT_THAT(array.read(), ElementsAre(1, 2));
  EXPECT_EQ(far->reads, 1);
  array.open()[0] = 3;
  array.touch();
  EXPECT_THAT(far->values, ElementsAre(3, 2)) << "written by the host";
  array.mark_copy_newest(std::make_shared<const Constant>(7.0F));
  EXPECT_THAT(far->values, Each(7)) << "written by an engine";
  EXPECT_THAT(array.read(), Each(7));
  const std::uint64_t version = array.version();
  far->values = {4, 5};
  array.mark_device_memory_newest();
  array.touch();
  EXPECT_NE(array.version(), version);
  EXPECT_THAT(far->values, ElementsAre(4, 5)) << "written by the caller, and newer than the host's values";
  EXPECT_THAT(array.read(), ElementsAre(4, 5));
}

TEST(Array, MovesFromTheCallersHostMemoryToADeviceAndBack) {
  std::vector<float> memory{1, 2};
  const auto far = std::make_shared<Far>(std::vector<float>{3, 4});
  Array array(std::span<float>{memory});
  array.bind(far);
  EXPECT_THAT(array.read(), ElementsAre(3, 4));
  array.open()[0] = 9;
  array.touch();
  EXPECT_THAT(memory, ElementsAre(1, 2)) << "unbound memory keeps its values";
  array.bind(memory.data());
  EXPECT_EQ(array.home(), nullptr);
  EXPECT_EQ(far.use_count(), 1);
  EXPECT_THAT(array.read(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace cavs::detail
