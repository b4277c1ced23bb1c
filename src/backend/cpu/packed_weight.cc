#include <algorithm>

#include "backend/cpu/isa.h"
#include "support/check.h"

namespace cavs::cpu {
namespace {

/// Rows [begin, end) of w: [k, n] into a slice.
void pack_rows(const float* w, int n, int column, int columns, int begin, int end, float* slice) {
  for (int p = begin; p < end; ++p) std::copy_n(w + std::int64_t{p} * n + column, columns, slice + p * kSlice);
}

/// Rows [begin, end) of w: [n, k], which are columns of the slice from `first` on; in blocks, so that neither side walks
/// through memory in large strides for long.
void pack_columns(const float* w, int k, int begin, int end, int first, float* slice) {
  constexpr int kBlock = 16;
  for (int p0 = 0; p0 < k; p0 += kBlock)
    for (int c = begin; c < end; ++c)
      for (int p = p0; p < std::min(p0 + kBlock, k); ++p) slice[p * kSlice + c - first] = w[std::int64_t{c} * k + p];
}

int slices_for(int columns) { return (columns + kSlice - 1) / kSlice; }

}  // namespace

PackedWeight::PackedWeight(int k, const std::vector<int>& widths, int gate)
    : k_(k), parts_(static_cast<int>(widths.size())), widths_(widths) {
  const auto add = [&](int part, int begin, int end, int column) {
    slices_.push_back({part, begin + column, std::min(end - begin - column, kSlice)});
  };
  if (gate == 0) {
    for (int part = 0; part < parts_; ++part)
      for (int c = 0; c < widths[part]; c += kSlice) add(part, 0, widths[part], c);
    units_ = static_cast<int>(slices_.size());
  } else {
    for (int c = 0; c < gate; c += kSlice)
      for (int part = 0; part < parts_; ++part)
        for (int begin = 0; begin < widths[part]; begin += gate) add(part, begin, begin + gate, c);
    units_ = slices_for(gate);
    slices_in_unit_ = static_cast<int>(slices_.size()) / std::max(units_, 1);
  }
  CAVS_ASSERT(units_ * slices_in_unit_ == static_cast<int>(slices_.size()));
  data_ = aligned_floats(slices_.size() * static_cast<std::size_t>(slice_size()));
}

std::int64_t PackedWeight::slice_size() const { return std::int64_t{k_} * kSlice; }

const float* PackedWeight::slice_data(int i) const { return data_.get() + i * slice_size(); }

void PackedWeight::pack(int part, const float* w, bool transposed, int row_begin, int row_end) {
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const auto [of, column, columns] = slices_[i];
    if (of != part) continue;
    float* const to = data_.get() + static_cast<std::int64_t>(i) * slice_size();
    if (transposed)
      pack_columns(w, k_, std::max(row_begin, column), std::min(row_end, column + columns), column, to);
    else
      pack_rows(w, widths_[static_cast<std::size_t>(part)], column, columns, row_begin, row_end, to);
  }
}

}  // namespace cavs::cpu
