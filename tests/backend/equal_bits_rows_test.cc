// Row kernels agree with the definition of their operators, have the same bits everywhere, and touch no memory outside
// of their operands.

#include <set>

#include "backend/equal_bits.h"

namespace cavs::cpu {
namespace {

/// Calls a kernel with this width. Other sizes are random.
struct RowCase {
  const char* name;
  Agree agree;
  void (*call)(const char* name, int width, Call& call);
};

// Kernels that map one row to one row, or to one number.
template <int kInputs>
void row_to_row(const char* name, int width, Call& call) {
  const int rows = call.between(1, 40);
  RowArgs args;
  for (int i = 0; i < kInputs; ++i) args.in[i] = call.rows(rows, width, i == 0);
  args.labels = call.index(rows, width);
  args.attribute = 0.01F;
  args.out = call.result(rows, width);
  call.row_kernel(name, args, rows);
}
template <int kInputs>
void row_to_number(const char* name, int width, Call& call) {
  const int rows = call.between(1, 40);
  RowArgs args;
  for (int i = 0; i < kInputs; ++i) args.in[i] = call.rows(rows, width, i == 0);
  args.labels = call.index(rows, width);
  args.out = call.result(rows, 1);
  call.row_kernel(name, args, rows);
}
void cross_entropy_gradient(const char* name, int width, Call& call) {
  const int rows = call.between(1, 40);
  RowArgs args;
  args.in[0] = call.rows(rows, width, true);
  args.in[1] = call.rows(rows, 1);
  args.labels = call.index(rows, width);
  args.out = call.result(rows, width);
  call.row_kernel(name, args, rows);
}
void largest_feature_gradient(const char* name, int width, Call& call) {
  const int rows = call.between(1, 40);
  RowArgs forward;
  forward.in[0] = call.coarse_rows(rows, width);
  forward.out = call.result(rows, 1);
  call.row_kernel("max_features", forward, rows);
  RowArgs args;
  args.in[0] = forward.in[0];
  args.in[1] = {forward.out.base, 1, nullptr, 1};
  args.in[2] = call.rows(rows, 1);
  args.out = call.result(rows, width);
  call.row_kernel(name, args, rows);
}

// Reductions over children, to one row per vertex or per edge.
struct Children {
  int vertices;
  const std::int32_t* segments;
  int edges;

  explicit Children(Call& call)
      : vertices(call.between(1, 40)),
        segments(call.segments(vertices, call.one_of({1, 4, 9}))),
        edges(segments[vertices]) {}
};
void children_to_vertex(const char* name, int width, Call& call) {
  const Children c(call);
  RowArgs args;
  args.segments = c.segments;
  args.in[0] = call.rows(std::max(c.edges, 1), width, true);
  args.out = call.result(c.vertices, width);
  call.row_kernel(name, args, c.vertices);
}
void children_to_edges(const char* name, int width, Call& call) {
  const Children c(call);
  RowArgs args;
  args.segments = c.segments;
  args.in[0] = call.rows(std::max(c.edges, 1), width, true);
  args.out = call.result(c.edges, width);
  call.row_kernel(name, args, c.vertices);
}
void vertex_to_edges(const char* name, int width, Call& call) {
  const Children c(call);
  RowArgs args;
  args.segments = c.segments;
  args.in[0] = call.rows(c.vertices, width);
  args.out = call.result(c.edges, width);
  call.row_kernel(name, args, c.vertices);
}
void largest_child_gradient(const char* name, int width, Call& call) {
  const Children c(call);
  RowArgs forward;
  forward.segments = c.segments;
  forward.in[0] = call.coarse_rows(std::max(c.edges, 1), width);
  forward.out = call.result(c.vertices, width);
  call.row_kernel("max_children", forward, c.vertices);
  RowArgs args = forward;
  args.in[1] = {forward.out.base, width, nullptr, width};
  args.in[2] = call.rows(c.vertices, width);
  args.out = call.result(c.edges, width);
  call.row_kernel(name, args, c.vertices);
}

/// Products of two matrices per row, [m, k] and [k, n]. Both are dense, even if read transposed.
template <int kTerms>
void matrices(const char* name, int n, Call& call) {
  const int rows = call.between(1, 4), m = n == 1 ? 1 : call.one_of({1, 2, 5, 7, 16, 17, 40});
  RowArgs args;
  args.matrix_rows = m;
  for (int t = 0; t < kTerms; ++t) {
    const int k = call.one_of({1, 3, 16, 17, 33, 65});
    args.in[2 * t] = call.rows(rows, m * k, true);
    args.in[2 * t + 1] = call.rows(rows, k * n);
    if (call.maybe()) args.in[2 * t + 1].stride = 0;
  }
  args.out = call.result(rows, m * n);
  call.row_kernel(name, args, rows);
}
/// A product with a matrix of one column, computed as a sum over lanes.
void matrix_times_column(const char* name, int k, Call& call) {
  const int rows = call.between(1, 4), m = call.between(2, 40);
  RowArgs args;
  args.matrix_rows = m;
  args.in[0] = call.rows(rows, m * k, true);
  args.in[1] = call.rows(rows, k);
  args.out = call.result(rows, m);
  call.row_kernel(name, args, rows);
}

// Steps of chains in the log and max semirings.
RowArgs chain_step(const char* name, int n, int rows, Call& call) {
  const int k = call.one_of({1, 2, 5, 16, 17});
  RowArgs args;
  args.in[0] = call.rows(rows, k);
  args.in[1] = call.rows(1, k * n);
  args.in[1].stride = 0;
  args.out = call.result(rows, n);
  call.row_kernel(name, args, rows);
  return args;
}
void chain_step(const char* name, int n, Call& call) { chain_step(name, n, call.between(1, 6), call); }
void chain_step_gradient(const char* name, int n, Call& call) {
  const int rows = call.between(1, 6);
  RowArgs args = chain_step(name[0] == 'l' ? "log_matmul" : "max_matmul", n, rows, call);
  args.in[2] = {args.out.base, n, nullptr, n};
  args.in[3] = call.rows(rows, n);
  args.out = call.result(rows, args.in[1].width);
  call.row_kernel(name, args, rows);
}

/// Sizes of the windows over an image with `channels` channels, for the output and, if they differ, for the inputs.
struct Image {
  int rows;
  Window window;

  Image(int channels, bool padded, Call& call) : rows(channels > 40 ? 1 : call.between(1, 3)) {
    const int height = call.between(1, 4), width = call.between(1, 4);
    const int padding = padded ? call.between(0, std::min(height, width) - 1) : 0;
    window = {height, width, 4, 5, channels, call.between(1, 2), padding};
  }
  int pixels() const { return window.height * window.width * window.channels; }
  int seen() const { return static_cast<int>(window.positions() * window.size()); }
  int pooled() const { return static_cast<int>(window.positions()) * window.channels; }
};
RowArgs windows(const char* name, const Image& image, int in, int out, Call& call) {
  RowArgs args;
  args.window = image.window;
  args.in[0] = std::string_view(name) == "max_pool2d" ? call.coarse_rows(image.rows, in) : call.rows(image.rows, in);
  args.out = call.result(image.rows, out);
  call.row_kernel(name, args, image.rows);
  return args;
}
void unfolded(const char* name, int channels, Call& call) {
  const Image image(channels, true, call);
  windows(name, image, image.pixels(), image.seen(), call);
}
void folded(const char* name, int channels, Call& call) {
  const Image image(channels, true, call);
  windows(name, image, image.seen(), image.pixels(), call);
}
void pooled(const char* name, int channels, Call& call) {
  const Image image(channels, false, call);
  windows(name, image, image.pixels(), image.pooled(), call);
}
void unpooled(const char* name, int channels, Call& call) {
  const Image image(channels, false, call);
  windows(name, image, image.pooled(), image.pixels(), call);
}
void largest_pixel_gradient(const char* name, int channels, Call& call) {
  const Image image(channels, false, call);
  RowArgs args = windows("max_pool2d", image, image.pixels(), image.pooled(), call);
  args.in[1] = {args.out.base, image.pooled(), nullptr, image.pooled()};
  args.in[2] = call.rows(image.rows, image.pooled());
  args.out = call.result(image.rows, image.pixels());
  call.row_kernel(name, args, image.rows);
}

constexpr RowCase kCases[] = {
    {"softmax", Agree::kLanes, row_to_row<1>},
    {"log_softmax", Agree::kLanes, row_to_row<1>},
    {"sum_features", Agree::kLanes, row_to_number<1>},
    {"mean_features", Agree::kLanes, row_to_number<1>},
    {"max_features", Agree::kAll, row_to_number<1>},
    {"max_features_grad", Agree::kAll, largest_feature_gradient},
    {"log_sum_exp", Agree::kLanes, row_to_number<1>},
    {"hard_max", Agree::kAll, row_to_row<1>},
    {"dot", Agree::kLanes, row_to_number<2>},
    {"layer_norm", Agree::kLanes, row_to_row<1>},
    {"layer_norm_grad", Agree::kLanes, row_to_row<2>},
    {"softmax_cross_entropy", Agree::kLanes, row_to_number<1>},
    {"softmax_cross_entropy_grad", Agree::kLanes, cross_entropy_gradient},
    {"sum_children", Agree::kAll, children_to_vertex},
    {"mean_children", Agree::kAll, children_to_vertex},
    {"max_children", Agree::kAll, children_to_vertex},
    {"softmax_children", Agree::kFused, children_to_edges},
    {"mean_children_grad", Agree::kAll, vertex_to_edges},
    {"max_children_grad", Agree::kAll, largest_child_gradient},
    {"batch_matmul", Agree::kFused, matrices<1>},
    {"batch_matmul", Agree::kLanes, matrix_times_column},
    {"batch_matmul_left", Agree::kFused, matrices<1>},
    {"batch_matmul_right", Agree::kFused, matrices<1>},
    {"batch_matmul_sum", Agree::kFused, matrices<2>},
    {"log_matmul", Agree::kFused, chain_step},
    {"max_matmul", Agree::kAll, chain_step},
    {"log_matmul_grad", Agree::kFused, chain_step_gradient},
    {"max_matmul_grad", Agree::kAll, chain_step_gradient},
    {"unfold", Agree::kAll, unfolded},
    {"fold", Agree::kAll, folded},
    {"max_pool2d", Agree::kAll, pooled},
    {"average_pool2d", Agree::kAll, pooled},
    {"max_pool2d_grad", Agree::kAll, largest_pixel_gradient},
    {"average_pool2d_grad", Agree::kAll, unpooled},
};

TEST(EqualBits, OfEveryRowKernel) {
  for (const RowCase& c : kCases)
    for (const int width : widths()) {
      expect_equal_bits(c.agree, seed_of(width), std::string(c.name) + " of width " + std::to_string(width),
                        [&](Call& call) { c.call(c.name, width, call); });
      if (HasFatalFailure()) break;
    }
}

TEST(EqualBits, NoRowKernelIsMissing) {
  std::set<std::string> tested, known;
  for (const RowCase& c : kCases) tested.insert(c.name);
  for (const Isa* isa : available_isas())
    for (int i = 0; i < isa->row_kernel_count; ++i) known.insert(isa->row_kernels[i].name);
  EXPECT_EQ(tested, known);
}

}  // namespace
}  // namespace cavs::cpu
