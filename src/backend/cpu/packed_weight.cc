#include <algorithm>

#include "backend/cpu/isa.h"
#include "support/check.h"

namespace cavs::cpu {
namespace {

void pack_slice(const float* w, int k, int n, int begin, int columns, float* slice) {
  for (int p = 0; p < k; ++p, slice += kSlice) {
    std::copy_n(w + std::int64_t{p} * n + begin, columns, slice);
    std::fill(slice + columns, slice + kSlice, 0.0F);
  }
}

/// As pack_slice, from w: [n, k]; in blocks, so that neither side walks through memory in large strides for long.
void pack_slice_transposed(const float* w, int k, int begin, int columns, float* slice) {
  constexpr int kBlock = 16;
  for (int p0 = 0; p0 < k; p0 += kBlock) {
    const int p1 = std::min(p0 + kBlock, k);
    for (int c = 0; c < columns; ++c)
      for (int p = p0; p < p1; ++p) slice[p * kSlice + c] = w[std::int64_t{begin + c} * k + p];
    for (int p = p0; p < p1; ++p) std::fill(slice + p * kSlice + columns, slice + (p + 1) * kSlice, 0.0F);
  }
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

void PackedWeight::pack(int part, const float* w, bool transposed, int unit_begin, int unit_end) {
  for (int i = slices_of(unit_begin); i < slices_of(unit_end); ++i) {
    const auto [of, column, columns] = slice(i);
    if (of != part) continue;
    float* const to = data_.get() + i * slice_size();
    if (transposed)
      pack_slice_transposed(w, k_, column, columns, to);
    else
      pack_slice(w, k_, widths_[part], column, columns, to);
  }
}

}  // namespace cavs::cpu
