#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "backend/cpu/isa.h"
#include "support/philox.h"

namespace cavs::cpu {

/// Base of tests that run once per instruction set of this processor.
class EveryIsa : public testing::TestWithParam<const Isa*> {
 protected:
  const Isa& isa() const { return *GetParam(); }
  Scratch scratch_;
};
inline std::string isa_name(const testing::TestParamInfo<const Isa*>& info) { return info.param->name; }
inline auto all_isas() { return testing::ValuesIn(available_isas().begin(), available_isas().end()); }
#define CAVS_FOR_EVERY_ISA(suite) INSTANTIATE_TEST_SUITE_P(Isa, suite, all_isas(), isa_name)

/// A matrix of random numbers in [-1, 1), with NaN in the gaps between its rows to detect reads of them.
class Matrix {
 public:
  Matrix(int rows, int width, Random& random, int room = 0)
      : stride_(width + room),
        width_(width),
        data_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride_), std::nanf("")) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < width; ++c) at(r, c) = 2 * random.uniform() - 1;
  }
  float& at(int r, int c) { return data_[index(r, c)]; }
  float at(int r, int c) const { return data_[index(r, c)]; }
  float* data() { return data_.data(); }
  int stride() const { return stride_; }
  ConstRows view(const std::int32_t* rows = nullptr) const { return {data_.data(), stride_, rows, width_}; }
  Rows out() { return {data_.data(), stride_, width_}; }
  const std::vector<float>& all() const { return data_; }

 private:
  std::size_t index(int r, int c) const {
    return static_cast<std::size_t>(r) * static_cast<std::size_t>(stride_) + static_cast<std::size_t>(c);
  }
  int stride_, width_;
  std::vector<float> data_;
};

/// Element (r, c) of a view, by definition.
inline float element(const ConstRows& x, int r, int c) {
  const std::int64_t i = x.index ? x.index[r] : r;
  return i < 0 ? 0.0F : x.base[i * x.stride + (x.width == 1 ? 0 : c)];
}

/// Indices of `count` rows of a matrix with `rows` rows. One in five is -1.
inline std::vector<std::int32_t> random_index(int count, int rows, Random& random) {
  std::vector<std::int32_t> index(static_cast<std::size_t>(count));
  for (auto& i : index)
    i = random.below(5) == 0 ? -1 : static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(rows)));
  return index;
}

inline std::uint32_t bits_of(float x) {
  std::uint32_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}
/// True if the bits are equal, -0 and NaN included.
inline testing::AssertionResult same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return testing::AssertionFailure() << a.size() << " numbers, not " << b.size();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (bits_of(a[i]) != bits_of(b[i]))
      return testing::AssertionFailure() << "element " << i << ": " << a[i] << " is not " << b[i];
  return testing::AssertionSuccess();
}

}  // namespace cavs::cpu
