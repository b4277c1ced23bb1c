#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"
#include "backend/cpu/vec_gradient.h"
#include "backend/cpu/vec_product.h"

// Weight gradients for 32 registers of 16 lanes, in register tiles of 14 x 32. For each block of rows, the columns of
// the left operand are packed into strips of nearly equal width, [rows][at most 14]. The columns of the right operand
// are packed into panels, [rows][32], a few at a time. A panel stays in the first cache while it is multiplied by all
// strips, and the strips stay in the second cache.
namespace cavs::cpu::CAVS_ISA {

inline constexpr int kWideStrip = 14, kWideVectors = 2, kWidePanel = kWideVectors * kLanes;
inline constexpr int kStripSlack = kLanes;  // unused floats between strips, because vector stores exceed a strip

/// The memory of the strips of columns [begin, end) of a. Strip i has columns [column(i), column(i + 1)).
struct Strips {
  int begin, end, rows, count;
  float* first;

  int column(int i) const { return begin + (end - begin) * i / count; }
  float* at(int i) const { return first + std::int64_t{column(i) - begin} * rows + (i + 1) * kStripSlack; }
};

/// Copies columns [begin, begin + width) of all rows to `to`, [rows][width]. If a row has enough columns, whole vectors
/// are copied, which begin at `begin` or end at `begin + width`. The store of the next row overwrites the excess lanes.
inline void pack_strip(const float* const* a, int rows, int begin, int width, int end, float* to) {
  if (begin + kLanes <= end) {
    for (int r = 0; r < rows; ++r) store(to + r * width, load(a[r] + begin));
  } else if (begin + width >= kLanes) {
    const int before = kLanes - width;
    for (int r = rows - 1; r >= 0; --r) store(to + r * width - before, load(a[r] + begin - before));
  } else {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < width; ++c) to[r * width + c] = a[r][begin + c];
  }
}

/// Copies columns [begin, end) of b into panels. The last panel is padded with zeros.
inline void pack_panels(const float* const* b, int rows, int begin, int end, float* panels) {
  const int whole = begin + (end - begin) / kWidePanel * kWidePanel;
  for (int r = 0; r < rows; ++r) {
    float* to = panels + r * kWidePanel;
    for (int j = begin; j < whole; j += kWidePanel, to += std::int64_t{rows} * kWidePanel)
      each<kWideVectors>([&](auto v) { store(to + v * kLanes, load(b[r] + j + v * kLanes)); });
    for (int c = 0; whole < end && c < kWidePanel; ++c) to[c] = whole + c < end ? b[r][whole + c] : 0.0F;
  }
}

/// Where a tile is written. Element (i, j) is dw[i * a_stride + j * b_stride]. `add` is true to add to dw.
struct WideTile {
  float* dw;
  std::int64_t a_stride, b_stride;
  int columns;  // columns of the tile that exist, at most kWidePanel
  bool add;
};

template <int kRows>
void wide_gradient_tile(const float* strip, const float* panel, int rows, const WideTile& to) {
  const bool in_vectors = to.b_stride == 1 && to.columns == kWidePanel;
  const auto place = [&](auto i, auto v) { return to.dw + i * to.a_stride + v * kLanes; };
  Vec acc[kRows][kWideVectors];
  each_vector<kRows, kWideVectors>([&](auto i, auto v) { acc[i][v] = Vec{}; });
  multiply<kRows, kWideVectors>([strip](int i, int p) { return strip[p * kRows + i]; },
                                [panel](int p, int v) { return panel + p * kWidePanel + v * kLanes; }, 0, rows, acc);
  if (in_vectors) {
    if (to.add)
      each_vector<kRows, kWideVectors>([&](auto i, auto v) { store(place(i, v), load(place(i, v)) + acc[i][v]); });
    else
      each_vector<kRows, kWideVectors>([&](auto i, auto v) { store(place(i, v), acc[i][v]); });
    return;
  }
  float sums[kRows][kWidePanel];
  each_vector<kRows, kWideVectors>([&](auto i, auto v) { store(sums[i] + v * kLanes, acc[i][v]); });
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < to.columns; ++j) {
      float& d = to.dw[i * to.a_stride + j * to.b_stride];
      d = to.add ? d + sums[i][j] : sums[i][j];
    }
}

using WideGradientTile = void (*)(const float*, const float*, int, const WideTile&);
template <int... i>
constexpr WideGradientTile wide_gradient_tile_of(int rows, std::integer_sequence<int, i...>) {
  constexpr WideGradientTile kTiles[] = {wide_gradient_tile<i + 1>...};
  return kTiles[rows - 1];
}

inline constexpr int kWideGradientSpace =
    (kGradientColumns + kGradientStrips) * kSumBlock + (kGradientStrips / kWideStrip + 2) * kStripSlack;

inline void wide_gradient_block(const float* const* a, const float* const* b, int rows, const GradientPart& part,
                                float* space) {
  float* const panels = space;
  for (int begin = part.a_begin; begin < part.a_end; begin += kGradientStrips) {
    const int end = part.a_end - begin < kGradientStrips ? part.a_end : begin + kGradientStrips;
    const Strips strips{begin, end, rows, (end - begin + kWideStrip - 1) / kWideStrip,
                        space + kGradientColumns * kSumBlock};
    for (int i = 0; i < strips.count; ++i)
      pack_strip(a, rows, strips.column(i), strips.column(i + 1) - strips.column(i), part.a_end, strips.at(i));
    for (int chunk = part.b_begin; chunk < part.b_end; chunk += kGradientColumns) {
      const int chunk_end = part.b_end - chunk < kGradientColumns ? part.b_end : chunk + kGradientColumns;
      pack_panels(b, rows, chunk, chunk_end, panels);
      for (int j = chunk; j < chunk_end; j += kWidePanel)
        for (int i = 0; i < strips.count; ++i) {
          const int first = strips.column(i), columns = chunk_end - j < kWidePanel ? chunk_end - j : kWidePanel;
          const WideTile to{part.dw + first * part.a_stride + j * part.b_stride, part.a_stride, part.b_stride, columns,
                            part.add};
          wide_gradient_tile_of(strips.column(i + 1) - first, std::make_integer_sequence<int, kWideStrip>())(
              strips.at(i), panels + std::int64_t{j - chunk} * rows, rows, to);
        }
    }
  }
}

/// The gradient_block of this instruction set.
inline void any_gradient_block(const float* const* a, const float* const* b, int rows, const GradientPart& part,
                               float* space) {
  if constexpr (kWide)
    wide_gradient_block(a, b, rows, part, space);
  else
    gradient_block(a, b, rows, part, space);
}

}  // namespace cavs::cpu::CAVS_ISA
