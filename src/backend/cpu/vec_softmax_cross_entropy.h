#pragma once

#include "backend/cpu/vec_rows.h"

// Cross-entropy. If there are at most kLanes classes, kLanes rows are computed at a time: lane i of vector c is class c
// of row i, so one instruction computes a step of a maximum, a sum or a logarithm for all these rows. Classes are
// reduced in the order of sum_lanes and max_lanes, so results are bit-identical to those of the code for single rows.
namespace cavs::cpu::CAVS_ISA {

/// Reduces the classes of each row with f, in the order of fold_lanes. Returns one number per row.
template <typename F>
Vec fold_classes(const Vec (&classes)[kLanes], F f) {
  Vec folded[kLanes];
  for (int c = 0; c < kLanes; ++c) folded[c] = classes[c];
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int c = 0; c < width; ++c) folded[c] = f(folded[c], folded[c + width]);
  return folded[0];
}

/// The softmax and loss of `count` rows of logits, at most kLanes, from row `first`. Lane i belongs to row first + i.
struct NarrowRows {
  Vec exps[kLanes], total, loss;  // [classes]: exp(logit - largest logit of the row); their sum; the loss
  Ints labels;                    // -1 for a row without a label, whose loss is not used

  NarrowRows(const RowReader& x, const std::int32_t* all_labels, std::int32_t first, int count) {
    const int width = x.width();
    float logits[kLanes][kLanes], of_label[kLanes];
    std::int32_t label[kLanes];
    for (int i = 0; i < kLanes; ++i) {
      label[i] = i < count ? all_labels[first + i] : -1;
      const float* const row = label[i] < 0 ? nullptr : x[first + i];
      for (int c = 0; c < width; ++c) logits[c][i] = row == nullptr ? 0.0F : row[c];
      of_label[i] = row == nullptr ? 0.0F : row[label[i]];
    }
    const Vec lowest = splat(-__builtin_inff());
    Vec classes[kLanes];
    for (int c = 0; c < kLanes; ++c) classes[c] = c < width ? max(lowest, load(logits[c])) : lowest;
    const Vec largest = fold_classes(classes, [](Vec a, Vec b) { return select((a > b) | (a != a), a, b); });
    for (int c = 0; c < kLanes; ++c) exps[c] = c < width ? exp_of_negative(load(logits[c]) - largest) : Vec{};
    total = fold_classes(exps, [](Vec a, Vec b) { return a + b; });
    loss = log(total) - (load(of_label) - largest);
    __builtin_memcpy(&labels, label, sizeof labels);
  }
};

/// Calls f(first row, number of rows, NarrowRows) for each block of at most kLanes rows.
template <typename F>
void for_narrow_rows(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch, F f) {
  const RowReader x(args.in[0], zero_row(args, scratch));
  for (std::int32_t r = begin; r < end; r += kLanes) {
    const int count = end - r < kLanes ? end - r : kLanes;
    f(r, count, NarrowRows(x, args.labels, r, count));
  }
}

inline void narrow_cross_entropy(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  for_narrow_rows(args, begin, end, scratch, [&](std::int32_t first, int count, const NarrowRows& rows) {
    const Vec loss = select(rows.labels < 0, Vec{}, rows.loss);
    for (int i = 0; i < count; ++i) args.out.base[(first + i) * args.out.stride] = loss[i];
  });
}

inline void narrow_cross_entropy_grad(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  const RowReader dy(args.in[1], zero_row(args, scratch));
  for_narrow_rows(args, begin, end, scratch, [&](std::int32_t first, int count, const NarrowRows& rows) {
    float d[kLanes] = {}, dx[kLanes][kLanes];
    for (int i = 0; i < count; ++i)
      d[i] = *dy[first + i];  // all of dy is read before dx is written, because dx may overwrite it
    for (int c = 0; c < width; ++c) {
      const Vec p = rows.exps[c] / rows.total;
      store(dx[c], select(rows.labels < 0, Vec{}, select(rows.labels == c, p - 1.0F, p) * load(d)));
    }
    for (int i = 0; i < count; ++i) {
      float* const row = args.out.base + (first + i) * args.out.stride;
      for (int c = 0; c < width; ++c) row[c] = dx[c][i];
    }
  });
}

inline void softmax_cross_entropy(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  if (width <= kLanes) return narrow_cross_entropy(args, begin, end, scratch);
  const std::int32_t* const labels = args.labels;
  for_rows<1>(args, begin, end, scratch, [=](std::int32_t r, float* y, const float* x) {
    if (labels[r] < 0) {
      *y = 0;
      return;
    }
    const float largest = max_of_row(x, width);
    *y = log1(exp_sum(x, largest, width)) - (x[labels[r]] - largest);
  });
}

/// Computes dx = (softmax(x) - [c = label]) dy.
inline void softmax_cross_entropy_grad(const RowArgs& args, std::int32_t begin, std::int32_t end, Scratch& scratch) {
  const int width = args.in[0].width;
  if (width <= kLanes) return narrow_cross_entropy_grad(args, begin, end, scratch);
  const std::int32_t* const labels = args.labels;
  for_rows<2>(args, begin, end, scratch, [=](std::int32_t r, float* dx, const float* x, const float* dy) {
    const std::int32_t label = labels[r];
    const float d = *dy;  // read before dx is written, because dx may overwrite it
    if (label < 0) return fill_row(dx, width, [](int) { return Vec{}; });
    const float largest = max_of_row(x, width);
    const float total = exp_sum(x, largest, width);
    fill_row(dx, width, [=](int c) {
      Vec p = exp_of_negative(load_at(x, c, width) - largest) / total;
      if (label >= c && label < c + kLanes) p[label - c] -= 1.0F;
      return p * d;
    });
  });
}

}  // namespace cavs::cpu::CAVS_ISA
