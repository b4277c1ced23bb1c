#pragma once

#include "backend/cpu/vec_rows.h"

// Products of a row x [k] and a matrix w [k, n] in which x_i + w_ij replaces the product of two numbers, and the log of
// a sum of exponentials, or the maximum, replaces the sum. Every column is computed separately, over ascending i.
namespace cavs::cpu::CAVS_ISA {

/// Returns the number to subtract from each term before exp: the largest term, or 0 if the largest is infinite.
inline Vec finite_shift(Vec largest) { return select(abs(largest) == __builtin_inff(), Vec{}, largest); }

/// Computes y[c] = f(x, w, c) for every row and every vector of columns c.
template <typename F>
void for_columns(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch, F f) {
  const int n = args.out.width;
  for_rows<2>(args, begin, end, scratch, [=](std::int32_t, float* y, const float* x, const float* w) {
    fill_row(y, n, [=](int c) { return f(x, w, c); });
  });
}

inline void log_matmul(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int k = args.in[0].width, n = args.out.width;
  for_columns(args, begin, end, scratch, [=](const float* x, const float* w, int c) {
    const auto term = [=](int i) { return load_at(w + std::int64_t{i} * n, c, n) + x[i]; };
    Vec largest = term(0), total{};
    for (int i = 1; i < k; ++i) largest = max(largest, term(i));
    const Vec shift = finite_shift(largest);
    for (int i = 0; i < k; ++i) total += exp(term(i) - shift);
    return log(total) + shift;
  });
}

inline void max_matmul(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int k = args.in[0].width, n = args.out.width;
  for_columns(args, begin, end, scratch, [=](const float* x, const float* w, int c) {
    Vec largest = load_at(w, c, n) + x[0];
    for (int i = 1; i < k; ++i) largest = max(largest, load_at(w + std::int64_t{i} * n, c, n) + x[i]);
    return largest;
  });
}

/// Computes out [k, n], out_ij = f(x_i + w_ij), by vectors of columns j. f = make(y_j, dy_j) is called for ascending i.
template <typename Make>
void for_terms(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch, Make make) {
  const float* const zeros = zero_row(args, scratch);
  const RowReader x(args.in[0], zeros), w(args.in[1], zeros), y(args.in[2], zeros), dy(args.in[3], zeros);
  const int k = args.in[0].width, n = args.in[2].width;
  for (std::int32_t r = begin; r < end; ++r) {
    float* const out = args.out.base + r * args.out.stride;
    for (int c = 0; c < n; c += kLanes) {
      auto f = make(load_at(y[r], c, n), load_at(dy[r], c, n));
      for (int i = 0; i < k; ++i) {
        const std::int64_t row = std::int64_t{i} * n;
        store_at(out + row, c, n, f(load_at(w[r] + row, c, n) + x[r][i]));
      }
    }
  }
}

inline void log_matmul_grad(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  for_terms(args, begin, end, scratch, [](Vec y, Vec dy) {
    return [=](Vec term) { return select(abs(y) == __builtin_inff(), Vec{}, exp(term - y) * dy); };
  });
}

inline void max_matmul_grad(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  for_terms(args, begin, end, scratch, [](Vec y, Vec dy) {
    return [=, free = ~Ints{}](Vec term) mutable {  // columns in which no term has equalled the maximum yet
      const Ints takes = free & ((term == y) | ((term != term) & (y != y)));
      free &= ~takes;
      return select(takes, dy, Vec{});
    };
  });
}

}  // namespace cavs::cpu::CAVS_ISA
