#include "ir/builder.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

Value apply_op(std::string_view op, const std::vector<Value>& in, const Attributes& attributes) {
  FunctionBuilder& builder = builder_of(op, in.empty() ? Value() : in[0]);
  const OpDef& found = find_op(op);
  user_check(found.in_public,
             "[{}] is made by autodiff and passes, and cannot be declared; cavs/model.h has the operators that can",
             op);
  user_check(found.kind != OpKind::kSink, "[{}] returns no value, so it cannot be applied; call Vertex::{}", op, op);
  return builder.apply(found, in, attributes);
}

Value apply_op(std::string_view op, const std::vector<Value>& in) { return apply_op(op, in, {}); }

Value operator+(const Value& x, const Value& y) { return apply_op("add", {x, y}); }
Value operator-(const Value& x, const Value& y) { return apply_op("subtract", {x, y}); }
Value operator*(const Value& x, const Value& y) { return apply_op("multiply", {x, y}); }
Value operator/(const Value& x, const Value& y) { return apply_op("divide", {x, y}); }
Value operator-(const Value& x) { return apply_op("negate", {x}); }
Value operator+(const Value& x, double y) { return apply_op("add_scalar", {x}, attr::Number{y}); }
Value operator-(const Value& x, double y) { return x + (-y); }
Value operator*(const Value& x, double y) { return apply_op("multiply_scalar", {x}, attr::Number{y}); }
Value operator/(const Value& x, double y) { return x * (1.0 / y); }
Value operator+(double x, const Value& y) { return y + x; }
Value operator-(double x, const Value& y) { return -y + x; }
Value operator*(double x, const Value& y) { return y * x; }

Value operator/(double x, const Value& y) {
  return builder_of("divide", y).apply(OpId::kConstant, {}, attr::Constant{.number = x}) / y;
}

Value operator*(const Value& x, const Parameter& w) { return matmul(x, w); }
Value operator+(const Value& x, const Parameter& b) { return x + builder_of("add", x).parameter(b); }
Value operator-(const Value& x, const Parameter& b) { return x - builder_of("subtract", x).parameter(b); }
Value matmul(const Value& x, const Parameter& w) {
  return apply_op("matmul", {x, builder_of("matmul", x).parameter(w)});
}
Value multiply(const Value& x, const Parameter& w) { return x * builder_of("multiply", x).parameter(w); }
Value batch_matmul(const Value& x, const Value& y) { return apply_op("batch_matmul", {x, y}); }
Value batch_matmul(const Value& x, const Parameter& w) {
  return batch_matmul(x, builder_of("batch_matmul", x).parameter(w));
}

Value log_matmul(const Value& x, const Parameter& w) {
  return apply_op("log_matmul", {x, builder_of("log_matmul", x).parameter(w)});
}
Value max_matmul(const Value& x, const Parameter& w) {
  return apply_op("max_matmul", {x, builder_of("max_matmul", x).parameter(w)});
}

Value one_hot(const IndexValue& index, int classes) {
  return apply_op("one_hot", {index.value()}, attr::Classes{classes});
}
Value slice(const Value& x, int begin, int length) { return apply_op("slice", {x}, attr::Columns{begin, length}); }
Value part(const Value& x, int index, int count) { return apply_op("part", {x}, attr::Part{index, count}); }
Value reshape(const Value& x, Shape shape) { return apply_op("reshape", {x}, attr::Target{std::move(shape)}); }
Value layer_norm(const Value& x, double epsilon) { return apply_op("layer_norm", {x}, attr::Number{epsilon}); }
Value dropout(const Value& x, double p) { return apply_op("dropout", {x}, attr::Dropout{.probability = p}); }

Value sample_dropout(const Value& x, double p) {
  return apply_op("dropout", {x}, attr::Dropout{.probability = p, .by_sample = true});
}

namespace {

Value windowed(std::string_view op, const Value& x, const Size2d& window, int stride, int padding) {
  return apply_op(
      op, {x},
      attr::Window{.kernel_height = window.height, .kernel_width = window.width, .stride = stride, .padding = padding});
}

}  // namespace

Value unfold(const Value& x, Size2d window, int stride, int padding) {
  return windowed("unfold", x, window, stride, padding);
}
Value max_pool2d(const Value& x, Size2d window, int stride) { return windowed("max_pool2d", x, window, stride, 0); }
Value average_pool2d(const Value& x, Size2d window, int stride) {
  return windowed("average_pool2d", x, window, stride, 0);
}

Value softmax_cross_entropy(const Value& logits, const IndexValue& label) {
  return apply_op("softmax_cross_entropy", {logits, label.value()});
}

Value mean_squared_error(const Value& x, const Value& target) { return apply_op("mean_squared_error", {x, target}); }

}  // namespace cavs::inline v0_1
