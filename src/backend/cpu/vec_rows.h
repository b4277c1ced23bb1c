#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/vec.h"
#include "backend/cpu/vec_math.h"

// Kernels that work row by row. A reduction of a row goes over vectors in ascending order, then over lanes in a fixed
// order, so its bits depend on the row and its width alone.
namespace cavs::cpu::CAVS_ISA {

/// The rows of an operand: operator[] returns the address of row r, or `zeros` if its index is -1.
class RowReader {
 public:
  RowReader(const ConstRows& x, const float* zeros) : x_(x), zeros_(zeros) {}
  const float* operator[](std::int32_t r) const {
    const std::int64_t i = x_.index ? x_.index[r] : r;
    return i < 0 ? zeros_ : x_.base + i * x_.stride;
  }
  int width() const { return x_.width; }

 private:
  const ConstRows& x_;
  const float* zeros_;
};

/// Returns a row of zeros as wide as the widest input with indices; nullptr if no input has indices.
inline const float* zero_row(const RowArgs& args, Scratch& scratch) {
  int width = 0;
  for (const ConstRows& x : args.in)
    if (x.index && x.width > width) width = x.width;
  if (width == 0) return nullptr;
  float* const zeros = scratch.floats(static_cast<std::size_t>(width));
  __builtin_memset(zeros, 0, sizeof(float) * static_cast<unsigned>(width));
  return zeros;
}

inline Vec load_at(const float* p, int c, int width, float fill = 0) {
  return c + kLanes <= width ? load(p + c) : load_part(p + c, width - c, fill);
}
inline void store_at(float* p, int c, int width, Vec v) {
  if (c + kLanes <= width)
    store(p + c, v);
  else
    store_part(p + c, width - c, v);
}

/// Returns the sum over a row of f(c), a vector of numbers for columns from c, which must be zero beyond the end.
/// Blocks of columns are summed separately, because a plain sum over a hundred thousand classes would lose four digits.
template <typename F>
float sum_row(int width, F f) {
  constexpr int kBlock = 512;
  Vec total{};
  for (int begin = 0; begin < width; begin += kBlock) {
    const int end = width - begin < kBlock ? width : begin + kBlock;
    Vec sum{};
    for (int c = begin; c < end; c += kLanes) sum += f(c);
    total += sum;
  }
  return sum_lanes(total);
}
inline float max_of_row(const float* x, int width) {
  Vec largest = splat(-__builtin_inff());
  for (int c = 0; c < width; c += kLanes) largest = max(largest, load_at(x, c, width, -__builtin_inff()));
  return max_lanes(largest);
}
/// Stores f(c), a vector of numbers for columns from c, at y[c], for all columns of a row.
template <typename F>
void fill_row(float* y, int width, F f) {
  for (int c = 0; c < width; c += kLanes) store_at(y, c, width, f(c));
}

/// Calls f(r, row r of the output, row r of each of the first kInputs inputs) for every row r.
template <int kInputs, typename F>
void for_rows(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch, F f) {
  const float* const zeros = zero_row(args, scratch);
  for (std::int32_t r = begin; r < end; ++r) {
    float* const out = args.out.base + r * args.out.stride;
    if constexpr (kInputs == 1)
      f(r, out, RowReader(args.in[0], zeros)[r]);
    else if constexpr (kInputs == 2)
      f(r, out, RowReader(args.in[0], zeros)[r], RowReader(args.in[1], zeros)[r]);
    else
      f(r, out, RowReader(args.in[0], zeros)[r], RowReader(args.in[1], zeros)[r], RowReader(args.in[2], zeros)[r]);
  }
}

inline float exp_sum(const float* x, float largest, int width) {
  return sum_row(width, [=](int c) { return exp_of_negative(load_at(x, c, width, -__builtin_inff()) - largest); });
}
inline float log1(float x) { return log(splat(x))[0]; }

inline void softmax(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  for_rows<1>(args, begin, end, scratch, [=](std::int32_t, float* y, const float* x) {
    const float largest = max_of_row(x, width);
    const float total = sum_row(width, [=](int c) {
      const Vec e = exp_of_negative(load_at(x, c, width, -__builtin_inff()) - largest);
      store_at(y, c, width, e);
      return e;
    });
    fill_row(y, width, [=](int c) { return load_at(y, c, width) / total; });
  });
}

inline void log_softmax(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  for_rows<1>(args, begin, end, scratch, [=](std::int32_t, float* y, const float* x) {
    const float largest = max_of_row(x, width);
    const float log_total = log1(exp_sum(x, largest, width));
    fill_row(y, width, [=](int c) { return (load_at(x, c, width) - largest) - log_total; });
  });
}

inline void log_sum_exp(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  for_rows<1>(args, begin, end, scratch, [=](std::int32_t, float* y, const float* x) {
    const float largest = max_of_row(x, width);
    *y = __builtin_isinf(largest) ? largest : log1(exp_sum(x, largest, width)) + largest;
  });
}

inline void sum_features(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  for_rows<1>(args, begin, end, scratch, [=](std::int32_t, float* y, const float* x) {
    *y = sum_row(width, [=](int c) { return load_at(x, c, width); });
  });
}

inline void mean_features(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  for_rows<1>(args, begin, end, scratch, [=](std::int32_t, float* y, const float* x) {
    *y = sum_row(width, [=](int c) { return load_at(x, c, width); }) / static_cast<float>(width);
  });
}

inline void max_features(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  for_rows<1>(args, begin, end, scratch, [=](std::int32_t, float* y, const float* x) { *y = max_of_row(x, width); });
}

/// True if a equals b, or both are NaN.
inline bool same(float a, float b) { return a == b || (a != a && b != b); }

/// Sets the first largest column, or the first NaN, to 1, and the other columns to 0.
inline void hard_max(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  for_rows<1>(args, begin, end, scratch, [=](std::int32_t, float* y, const float* x) {
    const float largest = max_of_row(x, width);
    bool taken = false;
    for (int c = 0; c < width; ++c) {
      const bool takes = !taken && same(x[c], largest);
      y[c] = takes ? 1.0F : 0.0F;
      taken = taken || takes;
    }
  });
}

inline void max_features_grad(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  for_rows<3>(args, begin, end, scratch, [=](std::int32_t, float* dx, const float* x, const float* y, const float* dy) {
    bool taken = false;
    for (int c = 0; c < width; ++c) {
      const bool takes = !taken && same(x[c], *y);
      dx[c] = takes ? *dy : 0.0F;
      taken = taken || takes;
    }
  });
}

inline void dot(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  for_rows<2>(args, begin, end, scratch, [=](std::int32_t, float* y, const float* a, const float* b) {
    Vec sum{};
    for (int c = 0; c < width; c += kLanes) sum = fma(load_at(a, c, width), load_at(b, c, width), sum);
    *y = sum_lanes(sum);
  });
}

struct Moments {
  float mean, inverse_deviation;
};
inline Moments moments(const float* x, int width, float epsilon) {
  const auto n = static_cast<float>(width);
  const float mean = sum_row(width, [=](int c) { return load_at(x, c, width); }) / n;
  const float squares = sum_row(width, [=](int c) {
    const Vec d = load_at(x, c, width, mean) - mean;
    return d * d;
  });
  return {mean, 1.0F / sqrt(splat(squares / n + epsilon))[0]};
}

inline void layer_norm(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  const float epsilon = args.attribute;
  for_rows<1>(args, begin, end, scratch, [=](std::int32_t, float* y, const float* x) {
    const auto [mean, inverse] = moments(x, width, epsilon);
    for (int c = 0; c < width; c += kLanes) store_at(y, c, width, (load_at(x, c, width) - mean) * inverse);
  });
}

/// Computes dx = (dy - mean(dy) - y mean(dy y)) / deviation.
inline void layer_norm_grad(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  const float epsilon = args.attribute;
  for_rows<2>(args, begin, end, scratch, [=](std::int32_t, float* dx, const float* x, const float* dy) {
    const Moments m = moments(x, width, epsilon);
    const auto n = static_cast<float>(width);
    const auto y_at = [=](int c) { return (load_at(x, c, width, m.mean) - m.mean) * m.inverse_deviation; };
    const float mean_dy = sum_row(width, [=](int c) { return load_at(dy, c, width); }) / n;
    const float mean_dy_y = sum_row(width, [=](int c) { return load_at(dy, c, width) * y_at(c); }) / n;
    fill_row(dx, width,
             [=](int c) { return ((load_at(dy, c, width) - mean_dy) - y_at(c) * mean_dy_y) * m.inverse_deviation; });
  });
}

/// Computes out[r] = finish(rows of segment r folded with f, number of these rows); 0 if the segment is empty.
template <typename F, typename Finish>
void fold_segments(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch, F f, Finish finish) {
  const RowReader x(args.in[0], zero_row(args, scratch));
  const int width = args.out.width;
  for (std::int32_t r = begin; r < end; ++r) {
    const std::int32_t first = args.segments[r], last = args.segments[r + 1];
    float* const y = args.out.base + r * args.out.stride;
    fill_row(y, width, [&](int c) {
      if (first == last) return Vec{};
      Vec value = load_at(x[first], c, width);
      for (std::int32_t e = first + 1; e < last; ++e) value = f(value, load_at(x[e], c, width));
      return finish(value, last - first);
    });
  }
}

inline void sum_children(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  fold_segments(
      args, begin, end, scratch, [](Vec a, Vec b) { return a + b; }, [](Vec v, std::int32_t) { return v; });
}
inline void mean_children(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  fold_segments(
      args, begin, end, scratch, [](Vec a, Vec b) { return a + b; },
      [](Vec v, std::int32_t count) { return v / static_cast<float>(count); });
}
inline void max_children(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  fold_segments(
      args, begin, end, scratch, [](Vec a, Vec b) { return max(a, b); }, [](Vec v, std::int32_t) { return v; });
}

/// Computes the softmax of `count` contiguous numbers, bit-identical to that of softmax_children. y may be x.
inline void softmax_side_by_side(const float* x, float* y, int count) {
  const float largest = max_of_row(x, count);
  fill_row(y, count, [=](int c) { return exp_of_negative(load_at(x, c, count) - largest); });
  float total = 0;
  for (int c = 0; c < count; ++c) total += y[c];
  fill_row(y, count, [=](int c) { return load_at(y, c, count) / total; });
}

/// Computes the softmax over the edges of each vertex, one row per edge. The output may overwrite the input.
inline void softmax_children(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  if (const ConstRows& in = args.in[0]; in.width == 1 && in.stride == 1 && !in.index && args.out.stride == 1) {
    for (std::int32_t r = begin; r < end; ++r)
      softmax_side_by_side(in.base + args.segments[r], args.out.base + args.segments[r],
                           args.segments[r + 1] - args.segments[r]);
    return;
  }
  const RowReader x(args.in[0], zero_row(args, scratch));
  const int width = args.out.width;
  for (std::int32_t r = begin; r < end; ++r)
    for (int c = 0; c < width; c += kLanes) {
      const std::int32_t first = args.segments[r], last = args.segments[r + 1];
      Vec largest = splat(-__builtin_inff()), total{};
      for (std::int32_t e = first; e < last; ++e) largest = max(largest, load_at(x[e], c, width));
      for (std::int32_t e = first; e < last; ++e) {
        const Vec power = exp_of_negative(load_at(x[e], c, width) - largest);
        store_at(args.out.base + e * args.out.stride, c, width, power);
        total += power;
      }
      for (std::int32_t e = first; e < last; ++e) {
        float* const y = args.out.base + e * args.out.stride;
        store_at(y, c, width, load_at(y, c, width) / total);
      }
    }
}

inline void mean_children_grad(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const RowReader dy(args.in[0], zero_row(args, scratch));
  const int width = args.out.width;
  for (std::int32_t r = begin; r < end; ++r) {
    const std::int32_t first = args.segments[r], last = args.segments[r + 1];
    for (std::int32_t e = first; e < last; ++e)
      fill_row(args.out.base + e * args.out.stride, width,
               [&](int c) { return load_at(dy[r], c, width) / static_cast<float>(last - first); });
  }
}

inline void max_children_grad(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const float* const zeros = zero_row(args, scratch);
  const RowReader x(args.in[0], zeros), y(args.in[1], zeros), dy(args.in[2], zeros);
  const int width = args.out.width;
  for (std::int32_t r = begin; r < end; ++r) {
    for (int c = 0; c < width; c += kLanes) {
      const Vec largest = load_at(y[r], c, width), d = load_at(dy[r], c, width);
      Ints free = ~Ints{};  // columns in which no child has equalled the maximum yet
      for (std::int32_t e = args.segments[r]; e < args.segments[r + 1]; ++e) {
        const Vec v = load_at(x[e], c, width);
        const Ints takes = free & ((v == largest) | ((v != v) & (largest != largest)));
        store_at(args.out.base + e * args.out.stride, c, width, select(takes, d, Vec{}));
        free &= ~takes;
      }
    }
  }
}

}  // namespace cavs::cpu::CAVS_ISA
