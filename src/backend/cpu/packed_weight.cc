#include <algorithm>

#include "backend/cpu/bf16.h"
#include "backend/cpu/isa.h"
#include "support/check.h"

namespace cavs::cpu {
namespace {

/// Some rows of a row-major matrix with `width` columns. Row `begin` is at `first`.
struct MatrixRows {
  const float* first;
  int begin, width;
  const float* row(int i) const { return first + std::int64_t{i - begin} * width; }
};

/// Copies a matrix. Most are as wide as a slice, and the compiler copies a row of known width without a call.
void copy_rows(const float* from, std::int64_t from_stride, int rows, int columns, float* to, std::int64_t to_stride) {
  for (int r = 0; r < rows; ++r, from += from_stride, to += to_stride)
    if (columns == kSlice)
      __builtin_memcpy(to, from, kSlice * sizeof(float));
    else
      std::copy_n(from, columns, to);
}

/// Copies `columns` columns, from `column`, of rows [begin, end) of w, [k, n], into a slice.
void pack_rows(const MatrixRows& w, int column, int columns, int begin, int end, float* slice) {
  copy_rows(w.row(begin) + column, w.width, end - begin, columns, slice + std::int64_t{begin} * kSlice, kSlice);
}

/// Copies rows [begin, end) of w, [n, k], into columns of a slice. Row `first` of w is the first column of the slice.
void pack_columns(const MatrixRows& w, int begin, int end, int first, float* slice) {
  if (begin < end) isa().transpose(w.row(begin), w.width, end - begin, w.width, slice + begin - first, kSlice);
}

/// Packs columns of rows [begin, end) of w, [k, n], into a slice in bf16, 16 rows at a time, padded with zero rows.
void pack_row_pairs(const Bf16Isa& isa, const MatrixRows& w, int column, int columns, int begin, int end, Bf16* slice) {
  static constexpr float kZeros[kSlice] = {};
  const float* rows[kSlice];
  for (int p = begin; p < end; p += kSlice) {
    for (int i = 0; i < kSlice; ++i) rows[i] = p + i < end ? w.row(p + i) + column : kZeros;
    isa.pair_rows(rows, kSlice, 0, columns, slice + std::int64_t{p} * kSlice, 0);
  }
}

/// Packs rows [begin, end) of w, [n, k], into columns of a slice in bf16. The slice has `columns` columns, and row
/// `first` of w is its first column. Columns for other rows do not change.
void pack_column_pairs(const Bf16Isa& isa, const MatrixRows& w, int begin, int end, int first, int columns,
                       Bf16* slice) {
  static constexpr float kZeros[kTileDepth] = {};
  const float* rows[kSlice];
  if (begin == first && end == first + columns) {
    for (int i = 0; i < columns; ++i) rows[i] = w.row(first + i);
    isa.pair_columns(rows, columns, w.width, slice);
    return;
  }
  for (int k = 0; begin < end && k < w.width; k += kTileDepth, slice += kTileNumbers) {
    Bf16 step[kTileNumbers];
    for (int i = 0; i < columns; ++i) rows[i] = first + i >= begin && first + i < end ? w.row(first + i) + k : kZeros;
    isa.pair_columns(rows, columns, std::min(w.width - k, kTileDepth), step);
    for (int pair = 0; pair < kTileNumbers; pair += 2 * kSlice)
      std::copy(step + pair + 2 * (begin - first), step + pair + 2 * (end - first), slice + pair + 2 * (begin - first));
  }
}

int slices_for(int columns) { return (columns + kSlice - 1) / kSlice; }

}  // namespace

PackedWeight::PackedWeight(int k, const std::vector<int>& widths, int gate, Precision precision, const Bf16Isa* bf16)
    : PackedWeight(k, widths, gate, precision, bf16, Layout()) {
  own_ = aligned_floats(static_cast<std::size_t>(size()));
  lie_at(own_.get());
}

PackedWeight PackedWeight::without_memory(int k, const std::vector<int>& widths, int gate, Precision precision) {
  return {k, widths, gate, precision, nullptr, Layout()};
}

/// Lists the slices and where they are, but allocates no memory.
PackedWeight::PackedWeight(int k, const std::vector<int>& widths, int gate, Precision precision, const Bf16Isa* bf16,
                           Layout)
    : k_(k), parts_(static_cast<int>(widths.size())), precision_(precision), widths_(widths) {
  if (precision == Precision::kBf16) bf16_ = bf16 != nullptr ? bf16 : bf16_isa();
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
  for (const int width : widths) slice_at_.emplace_back(slices_for(width));
  for (std::size_t i = 0; i < slices_.size(); ++i)
    slice_at_[slices_[i].part][slices_[i].column / kSlice] = static_cast<int>(i);
}

std::int64_t PackedWeight::slice_size() const {
  if (precision_ == Precision::kFp32) return std::int64_t{k_} * kSlice;
  return std::int64_t{(k_ + kTileDepth - 1) / kTileDepth} * kTileDepth / 2 * kSlice;
}

void transpose_square(const float* from, float* to) { isa().transpose_slice(from, to); }

bool PackedWeight::has_squares(int part) const {
  return precision_ == Precision::kFp32 && k_ % kSlice == 0 &&
         std::ranges::all_of(slices_, [part](const Slice& s) { return s.part != part || s.columns == kSlice; });
}

const float* PackedWeight::slice_data(int i) const { return data_ + i * slice_size(); }

void PackedWeight::pack(int part, const float* rows, bool transposed, int row_begin, int row_end) {
  const MatrixRows w{rows, row_begin, transposed ? k_ : widths_[static_cast<std::size_t>(part)]};
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const auto [of, column, columns] = slices_[i];
    if (of != part) continue;
    float* const to = data_ + static_cast<std::int64_t>(i) * slice_size();
    const int first = std::max(row_begin, column), last = std::min(row_end, column + columns);
    if (precision_ == Precision::kBf16 && transposed)
      pack_column_pairs(*bf16_, w, first, last, column, columns, reinterpret_cast<Bf16*>(to));
    else if (precision_ == Precision::kBf16)
      pack_row_pairs(*bf16_, w, column, columns, row_begin, row_end, reinterpret_cast<Bf16*>(to));
    else if (transposed)
      pack_columns(w, first, last, column, to);
    else
      pack_rows(w, column, columns, row_begin, row_end, to);
  }
}

void PackedWeight::unpack(int part, int row_begin, int row_end, float* rows) const {
  CAVS_ASSERT(precision_ == Precision::kFp32);
  const std::int64_t width = widths_[static_cast<std::size_t>(part)];
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    const auto [of, column, columns] = slices_[i];
    if (of != part) continue;
    const float* from = slice_data(static_cast<int>(i)) + std::int64_t{row_begin} * kSlice;
    copy_rows(from, kSlice, row_end - row_begin, columns, rows + column, width);
  }
}

}  // namespace cavs::cpu
