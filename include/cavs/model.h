#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/attributes.h"
#include "cavs/parameters.h"
#include "cavs/shape.h"
#include "cavs/version.h"

namespace cavs::inline v0_1 {
enum class OpId : std::uint8_t;
struct Function;
class FunctionBuilder;
}  // namespace cavs::inline v0_1

namespace cavs {
inline namespace CAVS_API v0_1 {

/// A symbolic value of the vertex function that is being declared. A value has one row per vertex, or one per edge: a
/// pair of a vertex and one of its children. Valid only in the declaring lambda; later use throws UserError. Cheap to
/// copy.
class Value {
 public:
  Value() = default;
  Value(FunctionBuilder* builder, std::int32_t id) : builder_(builder), id_(id) {}
  FunctionBuilder* builder() const { return builder_; }
  std::int32_t id() const { return id_; }
  /// Sets the name of the value in printed programs and messages.
  Value named(const std::string& name) const;
  /// The shape of a row; absent for a state whose scatter is not declared yet.
  std::optional<Shape> shape() const;
  /// Text for messages, such as "value 'c' (%12 = add)".
  std::string describe() const;

 private:
  FunctionBuilder* builder_ = nullptr;
  std::int32_t id_ = -1;
};

/// One integer per vertex or per edge, such as the id of a word or a label; -1 if absent.
class IndexValue {
 public:
  explicit IndexValue(Value value) : value_(value) {}
  const Value& value() const { return value_; }

 private:
  Value value_;
};

/// A dense parameter. `x * W` multiplies every row of x by the matrix W; `x + b` adds the vector b to every row of x.
struct Parameter {
  std::string name;
  Shape shape;
};

/// A parameter [rows, d] whose rows are looked up by index.
struct Lookup {
  std::string name;
  Shape shape;
  /// Looks up one row of the table, [d], for each integer of the index; zeros for -1.
  Value operator()(const IndexValue& index) const;
};

/// The interface of a vertex function to its vertex (Cavs, section 3.1). Invalid arguments throw UserError.
class Vertex {
 public:
  explicit Vertex(FunctionBuilder& builder) : builder_(builder) {}

  /// The state that the child in slot k (from 0) has scattered; zeros if the child is absent.
  Value gather(int k, const std::string& state);
  /// The states of the children in slot `first` and all later slots, one row per child (edge domain). All calls in one
  /// vertex function must use the same `first`.
  Value children(const std::string& state, int first = 0);
  /// Sets the state that parents gather. Call at most once per name.
  void scatter(const std::string& state, const Value& x);
  /// External input of the vertex: pull() returns `width` numbers, or zeros if absent; pull_index() an integer, or -1.
  Value pull(const std::string& port, int width);
  IndexValue pull_index(const std::string& port);
  /// External input of the edges to children, with one row for each row of children(state, first), in the same order
  /// (edge domain). Absent input is zeros, or -1. The function must also call children() with this `first`. Edge input
  /// has no gradient.
  Value pull_edges(const std::string& port, int width, int first = 0);
  IndexValue pull_edge_index(const std::string& port, int first = 0);
  /// All rows that a connection with RowMap::all() supplies to the vertex (edge domain, like the rows of children()).
  Value pull_all(const std::string& port, int width);
  /// Sets an output of the model, or the source of a connection to a pull port. Call at most once per name.
  void push(const std::string& port, const Value& x);
  /// Adds x (a scalar per vertex) to the loss of the minibatch.
  ///
  /// Reports show the mean loss per label. If the losses of a vertex function depend on softmax_cross_entropy,
  /// mean_squared_error or where_present, a vertex counts as one label if it has the label or target of any of these
  /// operators; labels and targets of edges count once per edge. Otherwise every vertex counts as one label. Scaling,
  /// weighting or adding losses does not change the count.
  void loss(const Value& x);
  /// x at vertices that have a row of this float port, or a number of this index port, in the data; else 0, without
  /// gradient. For custom losses: v.loss(v.where_present("score", abs(y - v.pull("score", 1)))) adds no loss at
  /// vertices without the target, and counts only vertices with it. Ports fed by connections are always present.
  Value where_present(const std::string& port, const Value& x);
  /// Like where_present for a port of edges: x at edges that have a row or a number; else 0, without gradient.
  Value where_edge_present(const std::string& port, const Value& x, int first = 0);
  /// The value that the function has scattered or pushed under this name. @throws UserError if there is none yet.
  Value scattered(const std::string& state);
  Value pushed(const std::string& port);
  /// The parameter as a value. Needed only for operators whose operands are all parameters.
  Value operator()(const Parameter& p);
  Value constant(double number);

 private:
  Value sink_input(OpId op, const std::string& name);

  FunctionBuilder& builder_;
};

/// Selects which row of a push port a connection supplies to a vertex that reads a pull port (Cavs, section 3.1,
/// Expressiveness). A function runs "over" the vertices of the data at which it is evaluated (FunctionOptions).
struct RowMap {
  enum class Kind : std::uint8_t { kSame, kRoot, kStart, kAll, kPort };
  Kind kind = Kind::kSame;
  std::string port = {};  // the index port, for kPort; else empty
  bool operator==(const RowMap&) const = default;

  /// The row pushed over the same vertex; zeros if the pushing function does not run over it.
  static RowMap same() { return {Kind::kSame}; }
  /// The row pushed over the root: the vertex whose state no other vertex of the pushing function reads, that is, the
  /// last vertex of a chain, or the first for a reversed function. A sample with several roots is a UserError.
  static RowMap root() { return {Kind::kRoot}; }
  /// The row of root() at vertices where the pulling function has no children; zeros elsewhere.
  static RowMap start() { return {Kind::kStart}; }
  /// All rows pushed in the sample, in the order of its vertices. Read them with Vertex::pull_all.
  static RowMap all() { return {Kind::kAll}; }
  /// The row pushed over the vertex whose number in the sample is the input at the index port `name`; zeros for -1.
  static RowMap given(std::string name) { return {Kind::kPort, std::move(name)}; }
};

/// A port of a vertex function.
struct FunctionPort {
  std::string function, port;
  bool operator==(const FunctionPort&) const = default;
};

/// The push port `from` feeds the pull port `to`.
struct Connection {
  FunctionPort from, to;
  RowMap rows;
  bool operator==(const Connection&) const = default;
};

/// The vertices that a vertex function runs over, and in which direction.
struct FunctionOptions {
  std::vector<std::string> over = {};  // vertex types to run over; empty means the type named like the function
  bool reverse = false;  // true swaps children and parents: reads a chain from its end, a tree from its root
};

/// A vertex function as it was declared.
struct FunctionInfo {
  std::string name;
  std::vector<std::string> over = {};                 // types of the data's vertices at which it is evaluated
  std::vector<std::string> pushes = {}, states = {};  // names of its push ports; names of states that it scatters
  bool has_dropout = false;
};

struct ModelOptions {
  std::uint64_t seed = 1;
};

/// A model: parameters, and one vertex function per vertex type. A copy is independent of the original.
class Model {
 public:
  explicit Model(ModelOptions options = {});

  /// Declares a parameter, or returns the existing parameter of this name, which must have this shape (`init` is
  /// ignored).
  Parameter parameter(const std::string& name, Shape shape, Initializer init = Initializer::xavier_uniform());
  Lookup lookup(const std::string& name, Shape shape, Initializer init = Initializer::uniform(0.1F));

  /// Declares the vertex function of the type `type`. With `options`, `type` is the function's name, and several
  /// functions may run over the same vertices. Shapes and domains are checked here.
  /// @throws UserError naming the function, the value and the shapes; the model is then unchanged.
  void vertex_function(const std::string& type, const std::function<void(Vertex&)>& declare,
                       const FunctionOptions& options = {});
  /// Adds nodes to the vertex function `type`, for example a push of Vertex::scattered. Copies of the model do not
  /// change. @throws UserError as vertex_function does, or if there is no such function.
  void extend(const std::string& type, const std::function<void(Vertex&)>& declare);

  /// Feeds a pull port from a push port. The push port stops being an output of the model. One push may feed many
  /// pulls, and pushes of functions over different vertices may feed one pull. compile() refuses unknown ports,
  /// different widths and cycles.
  void connect(const FunctionPort& from, const FunctionPort& to, const RowMap& rows = RowMap::same());
  const std::vector<Connection>& connections() const { return connections_; }
  /// True if the model is a network: it has a connection, or a vertex function with FunctionOptions. network_builder
  /// must then make its graphs from those of the data.
  bool is_network() const;
  /// Returns a model of the same computation without connections: each connected pull becomes a gather from an
  /// additional child, and each connected push a scatter. Its graphs are those that network_builder makes, with
  /// GraphSchema::connected false.
  /// @throws UserError if a connection does not fit.
  Model connected() const;

  const std::vector<ParameterInfo>& parameters() const { return parameters_; }
  const std::vector<Function>& functions() const { return *functions_; }
  /// Names of the vertex types, in the order of declaration.
  std::vector<std::string> types() const;
  /// Names and outputs of the vertex functions, in the order of declaration.
  std::vector<FunctionInfo> function_infos() const;
  std::uint64_t seed() const { return options_.seed; }
  /// New parameters with initial values.
  std::shared_ptr<Parameters> make_parameters() const;

  /// The vertex functions, parameters and options as versioned JSON, for from_json.
  std::string to_json() const;
  /// Makes a model from the text of to_json(). @throws UserError for any other text.
  static Model from_json(const std::string& text);

 private:
  friend class FunctionBuilder;
  void append_nodes(std::vector<Function> all, std::size_t at, const std::function<void(Vertex&)>& declare);

  ModelOptions options_;
  std::vector<ParameterInfo> parameters_;
  std::vector<Connection> connections_;
  std::shared_ptr<std::vector<Function>> functions_;
  std::vector<std::shared_ptr<FunctionBuilder>> builders_;  // one per declaration, so that old Values are detected
};

// Operators. x and y have any shape. A scalar is broadcast to any shape. A value with one row for all vertices is
// broadcast to a row per vertex, and a row per vertex to a row per edge (cavs/attributes.h).

/// Applies the operator of this name (`cavs ops` lists them), which must return a value. `attributes` must have the
/// operator's type of attributes (cavs/attributes.h).
/// Example: apply_op("slice", {x}, attr::Columns{.begin = 2, .count = 4}).
/// @throws UserError for an unknown operator, or inputs or attributes that do not fit it.
Value apply_op(std::string_view op, const std::vector<Value>& in, const Attributes& attributes);
Value apply_op(std::string_view op, const std::vector<Value>& in);

Value operator+(const Value& x, const Value& y);
Value operator-(const Value& x, const Value& y);
Value operator*(const Value& x, const Value& y);  // product of each two elements
Value operator/(const Value& x, const Value& y);
Value operator-(const Value& x);
Value operator+(const Value& x, double y);
Value operator-(const Value& x, double y);
Value operator*(const Value& x, double y);
Value operator/(const Value& x, double y);
Value operator+(double x, const Value& y);
Value operator-(double x, const Value& y);
Value operator*(double x, const Value& y);
Value operator/(double x, const Value& y);
Value operator*(const Value& x, const Parameter& w);  // matrix product: [k] times [k, n] -> [n]
Value operator+(const Value& x, const Parameter& b);
Value operator-(const Value& x, const Parameter& b);
Value matmul(const Value& x, const Parameter& w);
Value multiply(const Value& x, const Parameter& w);  // product of each two elements
/// Matrix product of two values of a vertex: [m, k] times [k, n] -> [m, n]. One of the values may be a vector [k].
Value batch_matmul(const Value& x, const Value& y);
Value batch_matmul(const Value& x, const Parameter& w);

/// y_j = log(sum_i(exp(x_i + w_ij))) for [k] and [k, n]: the logarithm of the product of exp(x) and exp(w).
inline Value log_matmul(const Value& x, const Value& w) { return apply_op("log_matmul", {x, w}); }
Value log_matmul(const Value& x, const Parameter& w);
/// y_j = max_i(x_i + w_ij) for [k] and [k, n]. The first of several largest terms gets the gradient.
inline Value max_matmul(const Value& x, const Value& w) { return apply_op("max_matmul", {x, w}); }
Value max_matmul(const Value& x, const Parameter& w);

inline Value sigmoid(const Value& x) { return apply_op("sigmoid", {x}); }
inline Value tanh(const Value& x) { return apply_op("tanh", {x}); }
inline Value relu(const Value& x) { return apply_op("relu", {x}); }
inline Value gelu(const Value& x) { return apply_op("gelu", {x}); }  // exact: x times the normal CDF of x
inline Value exp(const Value& x) { return apply_op("exp", {x}); }
inline Value log(const Value& x) { return apply_op("log", {x}); }
inline Value sqrt(const Value& x) { return apply_op("sqrt", {x}); }
inline Value square(const Value& x) { return apply_op("square", {x}); }
inline Value abs(const Value& x) { return apply_op("abs", {x}); }
/// sin and cos have an error of at most 5e-7 for |x| < 10,000, and a larger one beyond.
inline Value sin(const Value& x) { return apply_op("sin", {x}); }
inline Value cos(const Value& x) { return apply_op("cos", {x}); }
inline Value floor(const Value& x) { return apply_op("floor", {x}); }  // no gradient, like round and sign
inline Value round(const Value& x) { return apply_op("round", {x}); }  // halves to even
inline Value sign(const Value& x) { return apply_op("sign", {x}); }
/// NaN where x < 0 and y is not an integer. y has no gradient where x <= 0.
inline Value pow(const Value& x, const Value& y) { return apply_op("pow", {x, y}); }
/// x where the condition is not 0, else 0, even if x is infinite or NaN there. The condition has no gradient.
inline Value keep(const Value& condition, const Value& x) { return apply_op("keep", {condition, x}); }
/// x where the condition is not 0, else y. The operand that is not selected may be infinite or NaN, and gets the
/// gradient 0. An infinite derivative still turns this 0 into NaN: where(x > 0, log(x), 0) has the gradient NaN at x =
/// 0. The condition has no gradient.
Value where(const Value& condition, const Value& x, const Value& y);
inline Value max(const Value& x, const Value& y) { return apply_op("max", {x, y}); }
inline Value min(const Value& x, const Value& y) { return apply_op("min", {x, y}); }
inline Value softmax(const Value& x) { return apply_op("softmax", {x}); }  // over features, like log_softmax
inline Value log_softmax(const Value& x) { return apply_op("log_softmax", {x}); }
inline Value concat(const std::vector<Value>& parts) { return apply_op("concat", parts); }  // vectors only
/// [n] -> [n, n] with zeros outside the diagonal.
inline Value diagonal(const Value& x) { return apply_op("diagonal", {x}); }
inline Value dot(const Value& x, const Value& y) { return apply_op("dot", {x, y}); }  // over features -> []
inline Value sum_features(const Value& x) { return apply_op("sum_features", {x}); }
inline Value mean_features(const Value& x) { return apply_op("mean_features", {x}); }
inline Value max_features(const Value& x) { return apply_op("max_features", {x}); }
/// log(sum(exp(x))) -> [].
inline Value log_sum_exp(const Value& x) { return apply_op("log_sum_exp", {x}); }
/// 1 at the largest feature (the first of several), else 0. No gradient.
inline Value hard_max(const Value& x) { return apply_op("hard_max", {x}); }
/// Reductions over the children of each vertex, from one row per edge to one row per vertex; 0 without children.
inline Value sum(const Value& x) { return apply_op("sum_children", {x}); }
inline Value mean(const Value& x) { return apply_op("mean_children", {x}); }
inline Value max(const Value& x) { return apply_op("max_children", {x}); }
/// The value of the vertex, repeated for each of its children: one row per row of Vertex::children.
/// Model::vertex_function throws UserError if the function does not call Vertex::children.
inline Value each_child(const Value& x) { return apply_op("each_child", {x}); }
/// Softmax over the children of each vertex, for each feature separately; one row per edge, like x.
inline Value softmax_children(const Value& x) { return apply_op("softmax_children", {x}); }

/// Scaled dot-product attention of a vertex over its children (Vaswani et al., 2017, equation 1).
/// @param query   [d], one row per vertex
/// @param keys    [d], one row per child
/// @param values  [n], one row per child
/// @return [n], one row per vertex: the sum of values * softmax(query . keys / sqrt(d)); zeros without children.
Value attention(const Value& query, const Value& keys, const Value& values);
/// Additive attention over the children (Bahdanau et al., 2015, appendix A.1.2), with scores tanh(query + keys) . v.
/// Pass query * Wq and children("k"), and let each child scatter h * Wk as "k", so that each h is multiplied only once.
/// @param query, keys  [d]   @param v  [d]   @param values  [n]   @return [n], like attention()
Value additive_attention(const Value& query, const Value& keys, const Value& values, const Parameter& v);

/// [classes]: 1 at the index, else 0; zeros for index -1. No gradient.
Value one_hot(const IndexValue& index, int classes);
Value slice(const Value& x, int begin, int length);
Value reshape(const Value& x, Shape shape);
Value layer_norm(const Value& x, double epsilon = 1e-5);  // over features, without scale and shift
/// In training, zeroes each element with probability p and scales the rest by 1 / (1 - p). Each row has its own mask.
Value dropout(const Value& x, double p);
/// Dropout for recurrent networks, with one mask for all rows of a sample (Gal and Ghahramani, 2016).
Value sample_dropout(const Value& x, double p);
/// -log softmax(logits)[label] for logits [classes] -> []; 0 if the label is -1.
Value softmax_cross_entropy(const Value& logits, const IndexValue& label);
/// Softmax over the candidates: the features with mask > 0. All other features are 0. Only candidates get a gradient.
/// @param x, mask  [n]   @return [n]
Value masked_softmax(const Value& x, const Value& mask);
/// -log masked_softmax(logits, mask)[label] -> []; 0 if the label is -1. The label must be a candidate.
Value masked_softmax_cross_entropy(const Value& logits, const Value& mask, const IndexValue& label);
/// Highway layer (Srivastava et al., 2015, equation 3): t * y + (1 - t) * x with gate t = sigmoid(x * w + b).
/// @param x, y  [n], a layer's input and output   @param w  [n, n]   @param b  [n]
Value highway(const Value& x, const Value& y, const Parameter& w, const Parameter& b);
/// Mean of the squared differences over the features -> []. 0 without gradient at vertices that lack the pulled target
/// (Vertex::where_present).
Value mean_squared_error(const Value& x, const Value& target);

struct Size2d {
  int height = 1, width = 1;
};
// Images are values [height, width, channels]; use reshape to make one from a pulled row. A window starts at the upper
// left corner and moves by `stride` pixels, inside the image with its border of `padding` zeros.

/// The pixels of each window as a matrix row (im2col): [rows * columns, window height * window width * channels].
Value unfold(const Value& x, Size2d window, int stride = 1, int padding = 0);
/// Convolution (cross-correlation) -> [rows, columns, n].
/// @param w  [kernel height, kernel width, channels, n]   @param b  [n] Cost: a matrix product of unfold's result,
/// [rows * columns, kernel size * channels], with w, and memory for that result.
Value conv2d(const Value& x, const Parameter& w, const Parameter& b, int stride = 1, int padding = 0);
/// Maximum or mean of each channel in a window -> [rows, columns, channels]. The first of several largest pixels gets
/// the gradient.
Value max_pool2d(const Value& x, Size2d window, int stride);
Value average_pool2d(const Value& x, Size2d window, int stride);

/// Part `index` (from 0) of `count` equal parts of the features.
Value part(const Value& x, int index, int count);
template <int N>
std::array<Value, N> split(const Value& x) {
  std::array<Value, N> parts;
  for (int i = 0; i < N; ++i) parts[i] = part(x, i, N);
  return parts;
}

}  // namespace v0_1
}  // namespace cavs
