#include "execute/reference/operators.h"

#include "ir/scalar_eval.h"

namespace cavs::reference {
namespace {

const ReferenceTensor& input(const Operation& o, std::size_t i) { return o.values[o.node.in[i]]; }

void compute_elementwise(const Operation& o, ReferenceTensor& y) {
  const ScalarProgram program = expression_program(*o.node.op, o.node.attributes);
  std::vector<double> x(o.node.in.size());
  for (std::int64_t r = 0; r < y.rows; ++r)
    for (std::int64_t c = 0; c < y.width; ++c) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = broadcast_at(input(o, i), r, c);
      cavs::evaluate(program, x, {&y.at(r, c), 1});
    }
}

/// Sets `y` to some columns of the input, or to all columns in another shape.
void compute_view(const Operation& o, ReferenceTensor& y) {
  std::int64_t begin = 0;
  if (o.node.is(OpId::kSlice)) begin = o.node.get<attr::Columns>().begin;
  if (o.node.is(OpId::kPart)) begin = o.node.get<attr::Part>().index * y.width;
  for (std::int64_t r = 0; r < y.rows; ++r)
    for (std::int64_t c = 0; c < y.width; ++c) y.at(r, c) = broadcast_at(input(o, 0), r, begin + c);
}

void compute_concat(const Operation& o, ReferenceTensor& y) {
  for (std::int64_t r = 0; r < y.rows; ++r) {
    std::int64_t column = 0;
    for (std::size_t i = 0; i < o.node.in.size(); ++i)
      for (std::int64_t c = 0; c < input(o, i).width; ++c) y.at(r, column++) = broadcast_at(input(o, i), r, c);
  }
}

/// Returns the number of rows for which an operator's definition is evaluated.
std::int64_t rows_of_definition(const Operation& o, const ReferenceTensor& y) {
  if (o.node.op->runs_over == DomainKind::kVertex) return 1;
  if (o.node.domain.kind != DomainKind::kParameter) return y.rows;
  for (const ValueId id : o.node.in)  // the operator sums over the rows of its inputs
    if (o.f.nodes[id].domain.kind == DomainKind::kEdge) return o.values[id].rows;
  return 1;
}

bool is_product(const Node& node) { return node.op->kind == OpKind::kMatmul || node.is(OpId::kWeightGradient); }

/// True if the operator uses all rows of input `i` at once: a weight, or the rows of all children.
bool is_whole(const Node& node, std::size_t i) {
  return node.op->kind == OpKind::kMatmul ? i == 1 : node.op->reads_children && i == 0;
}

/// Returns input `i` with `rows` rows, as the definition needs them. Operands of products are rounded, in `copy`.
const ReferenceTensor& operand(const Operation& o, std::size_t i, std::int64_t rows, ReferenceTensor& copy) {
  const ReferenceTensor& x = input(o, i);
  const bool as_is = is_whole(o.node, i) || x.rows == rows;
  const bool rounds = o.rounding != Rounding::kNone && is_product(o.node);
  if (as_is && !rounds) return x;
  copy = x;
  if (!as_is) {
    CAVS_ASSERT(x.rows == 1);
    copy.rows = rows;
    copy.data.clear();
    for (std::int64_t r = 0; r < rows; ++r) copy.data.insert(copy.data.end(), x.data.begin(), x.data.end());
  }
  if (rounds)
    for (double& number : copy.data) number = rounded_operand(number, o.rounding);
  return copy;
}

/// Computes an operator by evaluating its definition (OpDef::reference).
void compute_by_definition(const Operation& o, ReferenceTensor& y) {
  const std::int64_t rows = rows_of_definition(o, y);
  std::vector<ReferenceTensor> copies(o.node.in.size());
  Reference definition{{}, y, o.node.attributes};
  for (std::size_t i = 0; i < copies.size(); ++i) definition.x.push_back(&operand(o, i, rows, copies[i]));
  definition.random = [&](std::int64_t row, std::int64_t column) { return o.dropped(row, column) ? 0.0 : 1.0; };
  o.node.op->reference(definition);
}

}  // namespace

void compute(const Operation& operation, ReferenceTensor& y) {
  switch (operation.node.op->kind) {
    case OpKind::kElementwise:
      return compute_elementwise(operation, y);
    case OpKind::kView:
      return compute_view(operation, y);
    case OpKind::kConcat:
      return compute_concat(operation, y);
    default:
      return compute_by_definition(operation, y);
  }
}

}  // namespace cavs::reference
