#include "cavs/layers.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

std::string name_in(const std::string& layer, const char* parameter) {
  return layer.empty() ? parameter : layer + "_" + parameter;
}

std::int32_t checked(const std::string& layer, std::int64_t size) {
  user_check(std::in_range<std::int32_t>(size), "layer '{}' has a parameter of {} columns; expected at most {}", layer,
             size, std::numeric_limits<std::int32_t>::max());
  return static_cast<std::int32_t>(size);
}

Parameter weight(Model& m, const std::string& layer, const char* name, int inputs, std::int64_t outputs) {
  return m.parameter(name_in(layer, name), {inputs, checked(layer, outputs)});
}

Parameter bias(Model& m, const std::string& layer, const char* name, std::int64_t outputs) {
  return m.parameter(name_in(layer, name), {checked(layer, outputs)}, Initializer::zeros());
}

}  // namespace

Linear::Linear(Model& m, const std::string& name, int inputs, int outputs)
    : W_(weight(m, name, "W", inputs, outputs)), b_(bias(m, name, "b", outputs)) {}

TiedEmbedding::TiedEmbedding(Model& m, const std::string& name, int words, int width)
    : W_(m.parameter(name_in(name, "W"), {width, words}, Initializer::uniform(0.1F))) {}

Value TiedEmbedding::operator()(Vertex& v, const IndexValue& word) const {
  return apply_op("matmul_transposed", {one_hot(word, W_.shape.dims[1]), v(W_)});
}

std::pair<Value, Value> lstm_step(const Value& gates, const Value& c_prev) {
  auto [i, f, o, u] = split<4>(gates);
  auto c = sigmoid(i) * tanh(u) + sigmoid(f) * c_prev;
  return {c, sigmoid(o) * tanh(c)};
}

LstmCell::LstmCell(Model& m, const std::string& name, int inputs, int hidden)
    : W_(weight(m, name, "W", inputs, std::int64_t{4} * hidden)),
      U_(weight(m, name, "U", hidden, std::int64_t{4} * hidden)),
      b_(bias(m, name, "b", std::int64_t{4} * hidden)) {}

std::pair<Value, Value> LstmCell::operator()(const Value& x, const Value& c, const Value& h) const {
  return lstm_step(x * W_ + h * U_ + b_, c);
}

Value LstmCell::step(Vertex& v, const Value& x, const std::string& states) const {
  auto h_prev = v.gather(0, states + "h"), c_prev = v.gather(0, states + "c");
  auto [c, h] = (*this)(x, c_prev, h_prev);
  v.scatter(states + "c", c);
  v.scatter(states + "h", h);
  return h;
}

GruCell::GruCell(Model& m, const std::string& name, int inputs, int hidden)
    : W_(weight(m, name, "W", inputs, std::int64_t{2} * hidden)),
      U_(weight(m, name, "U", hidden, std::int64_t{2} * hidden)),
      b_(bias(m, name, "b", std::int64_t{2} * hidden)),
      V_(weight(m, name, "V", inputs, hidden)),
      C_(weight(m, name, "C", hidden, hidden)),
      c_(bias(m, name, "c", hidden)) {}

Value GruCell::operator()(const Value& x, const Value& h) const {
  auto gates = x * W_ + b_, candidate = x * V_ + c_;
  return gru_step(gates, candidate, h, U_, C_);
}

Value GruCell::step(Vertex& v, const Value& x, const std::string& states) const {
  auto h = (*this)(x, v.gather(0, states + "h"));
  v.scatter(states + "h", h);
  return h;
}

}  // namespace cavs::inline v0_1
