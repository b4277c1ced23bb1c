#pragma once

// Operations that use a whole row. They have the names of their operators. No output may overlap an input.

#include "backend/cuda/device/operand.cuh"
#include "backend/cuda/device/warps.cuh"

namespace cavs::cuda {

/// Calls f(column, number) for every `step`-th number of a row, from column `first`. Several numbers are loaded before
/// the first one is used.
template <typename F>
CAVS_DEVICE void each_number_of_row(const float* row, i32 width, i32 first, i32 step, F f) {
  constexpr i32 kAtOnce = 4;
#pragma unroll 1
  for (i32 c = first; c < width; c += step * kAtOnce) {
    float numbers[kAtOnce];
#pragma unroll
    for (i32 i = 0; i < kAtOnce; ++i) numbers[i] = load_or_zero(row + c + step * i, width - 1 - (c + step * i));
#pragma unroll
    for (i32 i = 0; i < kAtOnce; ++i)
      if (c + step * i < width) f(c + step * i, numbers[i]);
  }
}

/// Returns the sum of f(column) over a row.
template <typename F>
CAVS_DEVICE float row_sum(i32 width, F f) {
  float sum = 0;
#pragma unroll 1
  for (i32 c = lane(); c < width; c += 32) sum += f(c);
  return warp_sum(sum);
}
CAVS_DEVICE float row_max(const Operand& x, i32 row) {
  float largest = -__builtin_inff();
#pragma unroll 1
  for (i32 c = lane(); c < x.width; c += 32) largest = math::max(largest, x.at(row, c));
  return warp_max(largest);
}
CAVS_DEVICE float exp_sum(const Operand& x, i32 row, float largest) {
  return row_sum(x.width, [&](i32 c) { return math::exp_of_negative(x.at(row, c) - largest); });
}
template <typename F>
CAVS_DEVICE void fill_row(const Operand& y, i32 row, i32 width, F f) {
#pragma unroll 1
  for (i32 c = lane(); c < width; c += 32) y.put(row, c, f(c));
}
CAVS_DEVICE void put_number(const Operand& y, i32 row, float x) {
  if (lane() == 0) y.put(row, 0, x);
}
/// Returns the first column that equals the largest, or the first NaN if the largest is NaN.
CAVS_DEVICE i32 first_column(const Operand& x, i32 row, float largest) {
  i32 first = 0x7FFFFFFF;
#pragma unroll 1
  for (i32 c = lane(); c < x.width; c += 32)
    if (same(x.at(row, c), largest)) first = smaller(first, c);
  return warp_min(first);
}

struct Moments {
  float mean, inverse_deviation;
};
CAVS_DEVICE Moments moments(const Operand& x, i32 r, float epsilon) {
  const auto n = static_cast<float>(x.width);
  const float mean = row_sum(x.width, [&](i32 c) { return x.at(r, c); }) / n;
  const float squares = row_sum(x.width, [&](i32 c) {
    const float d = x.at(r, c) - mean;
    return d * d;
  });
  return {mean, 1.0F / square_root(squares / n + epsilon)};
}

/// Four random words, computed from a key and a counter (Philox4x32-10, see support/philox.h).
struct Words {
  unsigned x[4];
};
CAVS_DEVICE Words philox(Words counter, unsigned key_low, unsigned key_high) {
#pragma unroll 1
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p0 = 0xD2511F53ULL * counter.x[0], p1 = 0xCD9E8D57ULL * counter.x[2];
    counter = {{static_cast<unsigned>(p1 >> 32) ^ counter.x[1] ^ key_low, static_cast<unsigned>(p1),
                static_cast<unsigned>(p0 >> 32) ^ counter.x[3] ^ key_high, static_cast<unsigned>(p0)}};
    key_low += 0x9E3779B9U;
    key_high += 0xBB67AE85U;
  }
  return counter;
}

/// Key of the random masks of dropout.
struct DropoutKey {
  unsigned seed_low, seed_high, epoch;
};

/// Each kernel has its own type `Operands`. Its x(k) finds an operand, inputs before outputs. each_row(f) calls f(row)
/// for the rows of a warp, and each_element(width, f) calls f(row, column) for the elements of a thread. number(),
/// labels() and so on are attributes of the operator. `Operands` needs only the members that its operations call.
template <typename Operands>
struct RowOperations {
  static CAVS_DEVICE void softmax(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1);
    o.each_row([&](i32 r) {
      const float largest = row_max(x, r), total = exp_sum(x, r, largest);
      fill_row(y, r, x.width, [&](i32 c) { return math::exp_of_negative(x.at(r, c) - largest) / total; });
    });
  }
  static CAVS_DEVICE void log_softmax(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1);
    o.each_row([&](i32 r) {
      const float largest = row_max(x, r), total = math::log(exp_sum(x, r, largest));
      fill_row(y, r, x.width, [&](i32 c) { return x.at(r, c) - largest - total; });
    });
  }
  static CAVS_DEVICE void log_sum_exp(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1);
    o.each_row([&](i32 r) {
      const float largest = row_max(x, r);
      const float total = exp_sum(x, r, largest);
      put_number(y, r, math::abs(largest) == __builtin_inff() ? largest : math::log(total) + largest);
    });
  }
  template <bool kMean>
  static CAVS_DEVICE void sum_features(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1);
    o.each_row([&](i32 r) {
      const float sum = row_sum(x.width, [&](i32 c) { return x.at(r, c); });
      put_number(y, r, kMean ? sum / static_cast<float>(x.width) : sum);
    });
  }
  static CAVS_DEVICE void max_features(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1);
    o.each_row([&](i32 r) { put_number(y, r, row_max(x, r)); });
  }
  static CAVS_DEVICE void max_features_grad(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1), dy = o.x(2), dx = o.x(3);
    o.each_row([&](i32 r) {
      const float d = dy.at(r, 0);
      const i32 first = first_column(x, r, y.at(r, 0));
      fill_row(dx, r, x.width, [&](i32 c) { return c == first ? d : 0.0F; });
    });
  }
  static CAVS_DEVICE void hard_max(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1);
    o.each_row([&](i32 r) {
      const i32 first = first_column(x, r, row_max(x, r));
      fill_row(y, r, x.width, [&](i32 c) { return c == first ? 1.0F : 0.0F; });
    });
  }
  static CAVS_DEVICE void dot(const Operands& o) {
    const Operand a = o.x(0), b = o.x(1), y = o.x(2);
    o.each_row([&](i32 r) {
      float sum = 0;
#pragma unroll 1
      for (i32 c = lane(); c < a.width; c += 32) sum = multiply_add(a.at(r, c), b.at(r, c), sum);
      put_number(y, r, warp_sum(sum));
    });
  }

  static CAVS_DEVICE void layer_norm(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1);
    const float epsilon = o.number();
    o.each_row([&](i32 r) {
      const Moments m = moments(x, r, epsilon);
      fill_row(y, r, x.width, [&](i32 c) { return (x.at(r, c) - m.mean) * m.inverse_deviation; });
    });
  }
  /// Computes dx = (dy - mean(dy) - y mean(dy y)) / deviation.
  static CAVS_DEVICE void layer_norm_grad(const Operands& o) {
    const Operand x = o.x(0), dy = o.x(1), dx = o.x(2);
    const float epsilon = o.number();
    o.each_row([&](i32 r) {
      const Moments m = moments(x, r, epsilon);
      const auto n = static_cast<float>(x.width);
      const auto y_at = [&](i32 c) { return (x.at(r, c) - m.mean) * m.inverse_deviation; };
      const float mean_dy = row_sum(x.width, [&](i32 c) { return dy.at(r, c); }) / n;
      const float mean_dy_y = row_sum(x.width, [&](i32 c) { return dy.at(r, c) * y_at(c); }) / n;
      fill_row(dx, r, x.width,
               [&](i32 c) { return (dy.at(r, c) - mean_dy - y_at(c) * mean_dy_y) * m.inverse_deviation; });
    });
  }

  static CAVS_DEVICE void softmax_cross_entropy(const Operands& o) {
    const Operand x = o.x(0), y = o.x(1);
    const i32* const labels = o.labels();
    o.each_row([&](i32 r) {
      const i32 label = load_fixed(labels + r);
      if (label < 0) return put_number(y, r, 0);
      const float largest = row_max(x, r), of_label = x.at(r, label);
      const float total = exp_sum(x, r, largest);
      put_number(y, r, math::log(total) - (of_label - largest));
    });
  }
  /// Computes dx = (softmax(x) - [c = label]) dy.
  static CAVS_DEVICE void softmax_cross_entropy_grad(const Operands& o) {
    const Operand x = o.x(0), dy = o.x(1), dx = o.x(2);
    const i32* const labels = o.labels();
    o.each_row([&](i32 r) {
      const i32 label = load_fixed(labels + r);
      if (label < 0) return fill_row(dx, r, x.width, [](i32) { return 0.0F; });
      const float d = dy.at(r, 0), largest = row_max(x, r), total = exp_sum(x, r, largest);
      fill_row(dx, r, x.width, [&](i32 c) {
        const float p = math::exp_of_negative(x.at(r, c) - largest) / total;
        return (c == label ? p - 1.0F : p) * d;
      });
    });
  }

  static CAVS_DEVICE void dropout_mask(const Operands& o) {
    const Operand y = o.x(0);
    constexpr unsigned kDropoutPurpose = 3;  // RandomPurpose::kDropout
    const DropoutKey of = o.dropout_key();
    const Words key = philox({{of.epoch, kDropoutPurpose, 0, 0}}, of.seed_low, of.seed_high);
    const float probability = o.number();
    const i32 *const samples = o.samples(), *const vertices = o.vertices();
    o.each_element(y.width, [&](i32 r, i32 c) {
      const unsigned vertex = vertices == nullptr ? ~0U : static_cast<unsigned>(load_fixed(vertices + r));
      const Words words = philox({{static_cast<unsigned>(c) / 4, static_cast<unsigned>(load_fixed(samples + r)), vertex,
                                   static_cast<unsigned>(o.mask())}},
                                 key.x[0], key.x[1]);
      const int which = c % 4;
      const unsigned word = which == 0 ? words.x[0] : which == 1 ? words.x[1] : which == 2 ? words.x[2] : words.x[3];
      y.put(r, c, static_cast<float>(word >> 8) * 0x1p-24F < probability ? 0.0F : 1.0F / (1.0F - probability));
    });
  }
};

}  // namespace cavs::cuda
