#include <algorithm>

#include "backend/cpu/bf16.h"
#include "backend/cpu/isa.h"
#include "support/check.h"

namespace cavs::cpu {
namespace {

/// Rows [begin, end) of w: [k, n] into a slice.
void pack_rows(const float* w, int n, int column, int columns, int begin, int end, float* slice) {
  for (int p = begin; p < end; ++p) std::copy_n(w + std::int64_t{p} * n + column, columns, slice + p * kSlice);
}

/// Rows [begin, end) of w: [n, k], which are columns of the slice from `first` on; in blocks, so that neither side
/// walks through memory in large strides for long.
void pack_columns(const float* w, int k, int begin, int end, int first, float* slice) {
  constexpr int kBlock = 16;
  for (int p0 = 0; p0 < k; p0 += kBlock)
    for (int c = begin; c < end; ++c)
      for (int p = p0; p < std::min(p0 + kBlock, k); ++p) slice[p * kSlice + c - first] = w[std::int64_t{c} * k + p];
}

/// Both for bf16: rows of w in pairs.
void pack_row_pairs(const float* w, int n, int column, int columns, int begin, int end, Bf16* slice) {
  for (int p = begin; p < end; ++p)
    for (int c = 0; c < columns; ++c)
      slice[(p / 2 * kSlice + c) * 2 + p % 2] = to_bf16(w[std::int64_t{p} * n + column + c]);
}
void pack_column_pairs(const float* w, int k, int begin, int end, int first, Bf16* slice) {
  for (int c = begin; c < end; ++c)
    for (int p = 0; p < k; ++p) slice[(p / 2 * kSlice + c - first) * 2 + p % 2] = to_bf16(w[std::int64_t{c} * k + p]);
}

int slices_for(int columns) { return (columns + kSlice - 1) / kSlice; }

}  // namespace

PackedWeight::PackedWeight(int k, const std::vector<int>& widths, int gate, Precision precision)
    : k_(k), parts_(static_cast<int>(widths.size())), precision_(precision), widths_(widths) {
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

std::int64_t PackedWeight::slice_size() const {
  if (precision_ == Precision::kFp32) return std::int64_t{k_} * kSlice;
  return std::int64_t{(k_ + kTileDepth - 1) / kTileDepth} * kTileDepth / 2 * kSlice;
}

const float* PackedWeight::slice_data(int i) const { return data_.get() + i * slice_size(); }

void PackedWeight::pack(int part, const float* w, bool transposed, int row_begin, int row_end) {
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const auto [of, column, columns] = slices_[i];
    if (of != part) continue;
    float* const to = data_.get() + static_cast<std::int64_t>(i) * slice_size();
    const int first = std::max(row_begin, column), last = std::min(row_end, column + columns);
    if (precision_ == Precision::kBf16 && transposed)
      pack_column_pairs(w, k_, first, last, column, reinterpret_cast<Bf16*>(to));
    else if (precision_ == Precision::kBf16)
      pack_row_pairs(w, widths_[static_cast<std::size_t>(part)], column, columns, row_begin, row_end,
                     reinterpret_cast<Bf16*>(to));
    else if (transposed)
      pack_columns(w, k_, first, last, column, to);
    else
      pack_rows(w, widths_[static_cast<std::size_t>(part)], column, columns, row_begin, row_end, to);
  }
}

}  // namespace cavs::cpu
