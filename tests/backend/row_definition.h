#pragma once

#include <cmath>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "backend/kernel_testing.h"
#include "ir/op.h"

namespace cavs::cpu {

inline ReferenceTensor reference_rows(const ConstRows& x, int begin, int end) {
  ReferenceTensor tensor{end - begin, x.width, {}};
  for (int r = begin; r < end; ++r)
    for (int c = 0; c < x.width; ++c) tensor.data.push_back(element(x, r, c));
  return tensor;
}

inline Attributes attributes_of(const OpDef& op, const RowArgs& args) {
  const Window& w = args.window;
  if (std::holds_alternative<attr::Number>(op.attributes)) return attr::Number{args.attribute};
  if (std::holds_alternative<attr::Matrices>(op.attributes)) return attr::Matrices{args.matrix_rows};
  if (std::holds_alternative<attr::Window>(op.attributes))
    return attr::Window{w.kernel_height, w.kernel_width, w.stride, w.padding, w.height, w.width, w.channels};
  return op.attributes;
}

/// Compares rows [begin, end) of a kernel's output, or the rows of their children, with the operator's definition.
inline void expect_definition(const OpDef& op, const RowArgs& args, int begin, int end) {
  const std::pair vertices{begin, end};
  const std::pair edges = args.segments == nullptr ? vertices : std::pair{args.segments[begin], args.segments[end]};
  std::vector<ReferenceTensor> x;
  int next = 0;
  for (int i = 0; i < static_cast<int>(op.params.size()); ++i) {
    if (op.index && op.index->input == i) {
      x.push_back({end - begin, 1, std::vector<double>(args.labels + begin, args.labels + end)});
      continue;
    }
    const auto& [first, last] = op.reads_children && i == 0 ? edges : vertices;
    x.push_back(reference_rows(args.in[next++], first, last));
  }
  const auto& [first, last] = op.domain == DomainKind::kEdge ? edges : vertices;
  ReferenceTensor expected{last - first, args.out.width,
                           std::vector<double>(static_cast<std::size_t>(last - first) * args.out.width)};
  const Attributes attributes = attributes_of(op, args);
  Reference reference{{}, expected, attributes};
  for (const ReferenceTensor& tensor : x) reference.x.push_back(&tensor);
  op.reference(reference);
  const double tolerance = op.name == "layer_norm_grad" ? 1e-5 : 3e-6;
  for (int r = first; r < last; ++r)
    for (int c = 0; c < args.out.width; ++c) {
      const double value = expected.at(r - first, c);
      ASSERT_NEAR(args.out.base[std::int64_t{r} * args.out.stride + c], value, tolerance * (1 + std::abs(value)))
          << op.name << ", row " << r << ", column " << c;
    }
}

/// Compares all rows. Definitions over children take one vertex at a time.
inline void expect_definition(std::string_view name, const RowArgs& args, int rows) {
  const OpDef& op = find_op(name);
  // batch_matmul_sum has no definition, because only a pass makes it. The definition of max_matmul_grad compares sums,
  // which floats round.
  if (op.reference == nullptr || name == "max_matmul_grad") return;
  if (args.segments == nullptr) return expect_definition(op, args, 0, rows);
  for (int r = 0; r < rows && !testing::Test::HasFatalFailure(); ++r) expect_definition(op, args, r, r + 1);
}

}  // namespace cavs::cpu
