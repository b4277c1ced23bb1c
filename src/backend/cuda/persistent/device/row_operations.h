// Operations that work row by row, under the names of their operators. What reduces a row has a warp a row; the others
// have a thread an element, are told which, (r, c) of their last operand, and share one loop with element-wise
// operations. No output lies where an input of the same entry lies.
namespace cavs::cuda {

/// The sum of f(column) over a row.
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
/// Equal, or neither is a number.
CAVS_DEVICE bool same(float a, float b) { return a == b || (a != a && b != b); }
/// The first column that is the largest, or no number where that is none.
CAVS_DEVICE i32 first_column(const Operand& x, i32 row, float largest) {
  i32 first = 0x7FFFFFFF;
#pragma unroll 1
  for (i32 c = lane(); c < x.width; c += 32)
    if (same(x.at(row, c), largest)) first = smaller(first, c);
  return warp_min(first);
}

CAVS_DEVICE void softmax(const Work& work, const Operand& x, const Operand& y) {
  each_row(work, [&](i32 r) {
    const float largest = row_max(x, r), total = exp_sum(x, r, largest);
    fill_row(y, r, x.width, [&](i32 c) { return math::exp_of_negative(x.at(r, c) - largest) / total; });
  });
}
CAVS_DEVICE void log_softmax(const Work& work, const Operand& x, const Operand& y) {
  each_row(work, [&](i32 r) {
    const float largest = row_max(x, r), total = math::log(exp_sum(x, r, largest));
    fill_row(y, r, x.width, [&](i32 c) { return x.at(r, c) - largest - total; });
  });
}
CAVS_DEVICE void log_sum_exp(const Work& work, const Operand& x, const Operand& y) {
  each_row(work, [&](i32 r) {
    const float largest = row_max(x, r);
    const float total = exp_sum(x, r, largest);
    put_number(y, r, math::abs(largest) == __builtin_inff() ? largest : math::log(total) + largest);
  });
}
CAVS_DEVICE void sum_features(const Work& work, const Operand& x, const Operand& y, bool mean) {
  each_row(work, [&](i32 r) {
    const float sum = row_sum(x.width, [&](i32 c) { return x.at(r, c); });
    put_number(y, r, mean ? sum / static_cast<float>(x.width) : sum);
  });
}
CAVS_DEVICE void max_features(const Work& work, const Operand& x, const Operand& y) {
  each_row(work, [&](i32 r) { put_number(y, r, row_max(x, r)); });
}
CAVS_DEVICE void max_features_grad(const Work& work, const Operand& x, const Operand& y, const Operand& dy,
                                   const Operand& dx) {
  each_row(work, [&](i32 r) {
    const float d = dy.at(r, 0);
    const i32 first = first_column(x, r, y.at(r, 0));
    fill_row(dx, r, x.width, [&](i32 c) { return c == first ? d : 0.0F; });
  });
}
CAVS_DEVICE void hard_max(const Work& work, const Operand& x, const Operand& y) {
  each_row(work, [&](i32 r) {
    const i32 first = first_column(x, r, row_max(x, r));
    fill_row(y, r, x.width, [&](i32 c) { return c == first ? 1.0F : 0.0F; });
  });
}
CAVS_DEVICE void dot(const Work& work, const Operand& a, const Operand& b, const Operand& y) {
  each_row(work, [&](i32 r) {
    float sum = 0;
#pragma unroll 1
    for (i32 c = lane(); c < a.width; c += 32) sum = multiply_add(a.at(r, c), b.at(r, c), sum);
    put_number(y, r, warp_sum(sum));
  });
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
CAVS_DEVICE void layer_norm(const Work& work, float epsilon, const Operand& x, const Operand& y) {
  each_row(work, [&](i32 r) {
    const Moments m = moments(x, r, epsilon);
    fill_row(y, r, x.width, [&](i32 c) { return (x.at(r, c) - m.mean) * m.inverse_deviation; });
  });
}
/// dx = (dy - mean(dy) - y mean(dy y)) / deviation.
CAVS_DEVICE void layer_norm_grad(const Work& work, float epsilon, const Operand& x, const Operand& dy,
                                 const Operand& dx) {
  each_row(work, [&](i32 r) {
    const Moments m = moments(x, r, epsilon);
    const auto n = static_cast<float>(x.width);
    const auto y_at = [&](i32 c) { return (x.at(r, c) - m.mean) * m.inverse_deviation; };
    const float mean_dy = row_sum(x.width, [&](i32 c) { return dy.at(r, c); }) / n;
    const float mean_dy_y = row_sum(x.width, [&](i32 c) { return dy.at(r, c) * y_at(c); }) / n;
    fill_row(dx, r, x.width,
             [&](i32 c) { return (dy.at(r, c) - mean_dy - y_at(c) * mean_dy_y) * m.inverse_deviation; });
  });
}

CAVS_DEVICE void softmax_cross_entropy(const Work& work, const i32* labels, const Operand& x, const Operand& y) {
  each_row(work, [&](i32 r) {
    const i32 label = load_fixed(labels + r);
    if (label < 0) return put_number(y, r, 0);
    const float largest = row_max(x, r), of_label = x.at(r, label);
    const float total = exp_sum(x, r, largest);
    put_number(y, r, math::log(total) - (of_label - largest));
  });
}
/// dx = (softmax(x) - [c = label]) dy.
CAVS_DEVICE void softmax_cross_entropy_grad(const Work& work, const i32* labels, const Operand& x, const Operand& dy,
                                            const Operand& dx) {
  each_row(work, [&](i32 r) {
    const i32 label = load_fixed(labels + r);
    if (label < 0) return fill_row(dx, r, x.width, [](i32) { return 0.0F; });
    const float d = dy.at(r, 0), largest = row_max(x, r), total = exp_sum(x, r, largest);
    fill_row(dx, r, x.width, [&](i32 c) {
      const float p = math::exp_of_negative(x.at(r, c) - largest) / total;
      return (c == label ? p - 1.0F : p) * d;
    });
  });
}

CAVS_DEVICE void copy(i32 r, i32 c, const Operand& x, const Operand& y) { y.put(r, c, x.at(r, x.width == 1 ? 0 : c)); }
CAVS_DEVICE void one_hot(i32 r, i32 c, const i32* labels, const Operand& y) {
  y.put(r, c, load_fixed(labels + r) == c ? 1.0F : 0.0F);
}
CAVS_DEVICE void diagonal(i32 r, i32 c, const Operand& x, const Operand& y) {
  const i32 row = quotient(c, x.width), column = c - row * x.width;
  y.put(r, c, row == column ? x.at(r, row) : 0.0F);
}
CAVS_DEVICE void diagonal_gradient(i32 r, i32 c, const Operand& dy, const Operand& dx) {
  dx.put(r, c, dy.at(r, c * dx.width + c));
}

// Of [k] and [k, n]: x_i + w_ij stands for the product of two numbers.
/// What is subtracted before exp: the largest, unless that is infinite.
CAVS_DEVICE float finite_shift(float largest) { return math::abs(largest) == __builtin_inff() ? 0.0F : largest; }

CAVS_DEVICE void max_matmul(i32 r, i32 c, const Operand& x, const Operand& w, const Operand& y, bool log_sum) {
  const i32 n = y.width;
  const auto term = [&](i32 i) { return w.at(r, i * n + c) + x.at(r, i); };
  float largest = term(0), total = 0;
#pragma unroll 1
  for (i32 i = 1; i < x.width; ++i) largest = math::max(largest, term(i));
  if (!log_sum) return y.put(r, c, largest);
  const float shift = finite_shift(largest);
#pragma unroll 1
  for (i32 i = 0; i < x.width; ++i) total += math::exp(term(i) - shift);
  y.put(r, c, math::log(total) + shift);
}
CAVS_DEVICE void log_matmul_grad(i32 r, i32 c, const Operand& x, const Operand& w, const Operand& y, const Operand& dy,
                                 const Operand& dw) {
  const i32 n = y.width, i = quotient(c, n), j = c - i * n;
  const float of = y.at(r, j), term = w.at(r, c) + x.at(r, i);
  dw.put(r, c, math::abs(of) == __builtin_inff() ? 0.0F : math::exp(term - of) * dy.at(r, j));
}
/// Of those that are the largest, the first takes the gradient.
CAVS_DEVICE void max_matmul_grad(i32 r, i32 c, const Operand& x, const Operand& w, const Operand& y, const Operand& dy,
                                 const Operand& dw) {
  const i32 n = y.width, row = quotient(c, n), j = c - row * n;
  const float of = y.at(r, j);
  const auto is_largest = [&](i32 i) { return same(w.at(r, i * n + j) + x.at(r, i), of); };
  bool takes = is_largest(row);
#pragma unroll 1
  for (i32 i = 0; takes && i < row; ++i) takes = !is_largest(i);
  dw.put(r, c, takes ? dy.at(r, j) : 0.0F);
}

/// Element (i, j) of the product of two matrices of a row, [m, k] times [k, n], of which one may be transposed.
CAVS_DEVICE float matrix_element(const Operand& x, const Operand& y, i32 r, i32 c, i32 m, i32 n, bool left_transposed,
                                 bool right_transposed) {
  const i32 i = quotient(c, n), j = c - i * n, k = quotient(x.width, m);
  const float *left = x.find(r), *right = y.find(r);
  if (left == nullptr || right == nullptr) return 0;
  left += left_transposed ? i : i * k, right += right_transposed ? j * k : j;
  const i32 left_step = left_transposed ? m : 1, right_step = right_transposed ? 1 : n;
  float sum = 0;
#pragma unroll 1
  for (i32 p = 0; p < k; ++p) sum = multiply_add(load(left + p * left_step), load(right + p * right_step), sum);
  return sum;
}
CAVS_DEVICE void batch_matmul(i32 r, i32 c, i32 m, const Operand& x, const Operand& y, const Operand& out,
                              i32 operation) {
  out.put(r, c,
          matrix_element(x, y, r, c, m, quotient(out.width, m), operation == kBatchMatmulLeft,
                         operation == kBatchMatmulRight));
}
CAVS_DEVICE void batch_matmul_sum(i32 r, i32 c, i32 m, const Operand& x, const Operand& y, const Operand& z,
                                  const Operand& w, const Operand& out) {
  const i32 n = quotient(out.width, m);
  out.put(r, c, matrix_element(x, y, r, c, m, n, false, false) + matrix_element(z, w, r, c, m, n, false, false));
}

/// Four random words by key and counter: Philox4x32-10, see support/philox.h.
struct Words {
  unsigned x[4];
};
CAVS_DEVICE Words philox(Words counter, unsigned key_low, unsigned key_high) {
#pragma unroll 1
  for (int round = 0; round < 10; ++round) {
    const unsigned long long p0 = 0xD2511F53ULL * counter.x[0], p1 = 0xCD9E8D57ULL * counter.x[2];
    counter = {{static_cast<unsigned>(p1 >> 32) ^ counter.x[1] ^ key_low, static_cast<unsigned>(p1),
                static_cast<unsigned>(p0 >> 32) ^ counter.x[3] ^ key_high, static_cast<unsigned>(p0)}};
    key_low += 0x9E3779B9U, key_high += 0xBB67AE85U;
  }
  return counter;
}
CAVS_DEVICE void dropout_mask(const Work& work, const Entry& e, const Operand& y) {
  constexpr unsigned kDropoutPurpose = 3;  // RandomPurpose::kDropout
  const auto header = [&](int word) { return static_cast<unsigned>(load_fixed(e.all + word)); };
  const Words key = philox({{header(kEpochWord), kDropoutPurpose, 0, 0}}, header(kSeedWord), header(kSeedHighWord));
  const float probability = float_of(static_cast<unsigned>(e.attribute(kNumberAttribute)));
  const i32 *const samples = e.list(kSamples), *const vertices = e.list(kVertices);
  each_element(work, y.width, [&](i32 r, i32 c) {
    const unsigned vertex = vertices == nullptr ? ~0U : static_cast<unsigned>(load_fixed(vertices + r));
    const Words words = philox({{static_cast<unsigned>(c) / 4, static_cast<unsigned>(load_fixed(samples + r)), vertex,
                                 static_cast<unsigned>(e.attribute(kMask))}},
                               key.x[0], key.x[1]);
    const int which = c % 4;
    const unsigned word = which == 0 ? words.x[0] : which == 1 ? words.x[1] : which == 2 ? words.x[2] : words.x[3];
    y.put(r, c, static_cast<float>(word >> 8) * 0x1p-24F < probability ? 0.0F : 1.0F / (1.0F - probability));
  });
}

// Over the rows that a row stands for: a vertex's edges, the vertices of a distinct row, what parents scattered.
CAVS_DEVICE void sum_segments(i32 r, i32 c, const Operand& x, const Operand& y, bool mean) {
  const i32 begin = x.begin_of(r), end = x.end_of(r);
  float sum = begin < end ? x.at(begin, c) : 0.0F;
#pragma unroll 1
  for (i32 e = begin + 1; e < end; ++e) sum += x.at(e, c);
  y.put(r, c, mean && begin < end ? sum / static_cast<float>(end - begin) : sum);
}
CAVS_DEVICE void max_children(i32 r, i32 c, const Operand& x, const Operand& y) {
  const i32 begin = x.begin_of(r), end = x.end_of(r);
  float largest = begin < end ? x.at(begin, c) : 0.0F;
#pragma unroll 1
  for (i32 e = begin + 1; e < end; ++e) largest = math::max(largest, x.at(e, c));
  y.put(r, c, largest);
}
CAVS_DEVICE void softmax_children(i32 r, i32 c, const Operand& x, const Operand& y) {
  const i32 begin = x.begin_of(r), end = x.end_of(r);
  if (begin == end) return;
  float largest = x.at(begin, c), total = 0;
#pragma unroll 1
  for (i32 e = begin + 1; e < end; ++e) largest = math::max(largest, x.at(e, c));
#pragma unroll 1
  for (i32 e = begin; e < end; ++e) total += math::exp_of_negative(x.at(e, c) - largest);
#pragma unroll 1
  for (i32 e = begin; e < end; ++e) y.put(e, c, math::exp_of_negative(x.at(e, c) - largest) / total);
}
CAVS_DEVICE void mean_children_grad(i32 r, i32 c, const Operand& dy, const Operand& dx) {
  const i32 begin = dx.begin_of(r), end = dx.end_of(r);
  if (begin == end) return;
  const float share = dy.at(r, c) / static_cast<float>(end - begin);
#pragma unroll 1
  for (i32 e = begin; e < end; ++e) dx.put(e, c, share);
}
CAVS_DEVICE void max_children_grad(i32 r, i32 c, const Operand& x, const Operand& y, const Operand& dy,
                                   const Operand& dx) {
  const float largest = y.at(r, c), d = dy.at(r, c);
  bool taken = false;
#pragma unroll 1
  for (i32 e = dx.begin_of(r); e < dx.end_of(r); ++e) {
    const bool takes = !taken && same(x.at(e, c), largest);
    dx.put(e, c, takes ? d : 0.0F);
    taken = taken || takes;
  }
}

}  // namespace cavs::cuda
