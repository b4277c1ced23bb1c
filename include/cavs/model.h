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

/// A symbolic value of the vertex function being declared. It has one row per vertex, or one per "edge": a pair of a
/// vertex and one of its children. Valid only inside the declaring lambda; later use throws UserError. Cheap to copy.
class Value {
 public:
  Value() = default;
  Value(FunctionBuilder* builder, std::int32_t id) : builder_(builder), id_(id) {}
  FunctionBuilder* builder() const { return builder_; }
  std::int32_t id() const { return id_; }
  /// Names the value in printed programs and messages.
  Value named(const std::string& name) const;
  /// Absent of a state whose scatter comes later.
  std::optional<Shape> shape() const;
  /// For messages: "value 'c' (%12 = add)".
  std::string describe() const;

 private:
  FunctionBuilder* builder_ = nullptr;
  std::int32_t id_ = -1;
};

/// One integer per vertex, such as the id of a word or a label, or one per edge; -1 where it is absent.
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

/// A table of rows [rows, d], read by index.
struct Lookup {
  std::string name;
  Shape shape;
  /// Row `index` of the table: [d], one for each integer of the index; zeros where that is -1.
  Value operator()(const IndexValue& index) const;
};

/// What a vertex function reads and writes at its vertex (Cavs, section 3.1). Unfit arguments are a UserError.
class Vertex {
 public:
  explicit Vertex(FunctionBuilder& builder) : builder_(builder) {}

  /// The state that the child in slot k (from 0) has scattered; zeros where the child is absent.
  Value gather(int k, const std::string& state);
  /// The states of all children in slots from `first` on: one row per child (edge domain). All calls in one vertex
  /// function must use the same `first`.
  Value children(const std::string& state, int first = 0);
  /// Sets the state that parents gather. Once for each name.
  void scatter(const std::string& state, const Value& x);
  /// External input: `width` numbers per vertex, or one integer; zeros, or -1, where it is absent.
  Value pull(const std::string& port, int width);
  IndexValue pull_index(const std::string& port);
  /// External input of edges: `width` numbers, or one integer, for each child that children(state, first) has a row of,
  /// in the same order (edge domain); zeros, or -1, where it is absent. The function must call children() with the same
  /// `first`. There is no gradient by this input.
  Value pull_edges(const std::string& port, int width, int first = 0);
  IndexValue pull_edge_index(const std::string& port, int first = 0);
  /// All rows that a connection with RowMap::all() gives to the vertex (edge domain, as the rows of children()).
  Value pull_all(const std::string& port, int width);
  /// Sets an output of the model, or the source of a connection to a pull port. Once for each name.
  void push(const std::string& port, const Value& x);
  /// Adds x (a scalar per vertex) to the loss of the minibatch.
  ///
  /// Reports show the mean loss per label. The losses of a vertex function may depend on softmax_cross_entropy,
  /// mean_squared_error or where_present: a vertex then counts as one label if it has the label or target of one of
  /// these. Labels and targets of edges count one an edge. Otherwise each vertex counts. Scaling, weighting or adding
  /// up losses does not change the count.
  void loss(const Value& x);
  /// x at vertices that have a row of this float port (or a number of this index port) in the data; else 0, without
  /// gradient. For your own losses: v.loss(v.where_present("score", abs(y - v.pull("score", 1)))) adds no loss where
  /// the target is absent, and counts only vertices that have one. A port that a connection feeds is always present.
  Value where_present(const std::string& port, const Value& x);
  /// The same for a port of edges: x at edges that have a row, or a number, of it; else 0, without gradient.
  Value where_edge_present(const std::string& port, const Value& x, int first = 0);
  /// The value that the function has scattered or pushed under this name. @throws UserError if there is none so far.
  Value scattered(const std::string& state);
  Value pushed(const std::string& port);
  /// The parameter as a value. Needed only for operators that have no other operand than parameters.
  Value operator()(const Parameter& p);
  Value constant(double number);

 private:
  Value sink_input(OpId op, const std::string& name);

  FunctionBuilder& builder_;
};

/// Which rows of a push port a connection gives to a pull port (Cavs, section 3.1, Expressiveness). A function runs
/// "over" the vertices of the data at which it is evaluated (FunctionOptions).
struct RowMap {
  enum class Kind : std::uint8_t { kSame, kRoot, kStart, kAll, kPort };
  Kind kind = Kind::kSame;
  std::string port = {};  // of kPort
  bool operator==(const RowMap&) const = default;

  /// The row that was pushed over the same vertex; zeros where the pushing function does not run there.
  static RowMap same() { return {Kind::kSame}; }
  /// The row that was pushed over the root: the one vertex of the sample whose state no other vertex of the pushing
  /// function reads: the last of a chain (of a reversed function, the first). A sample with several is a UserError.
  static RowMap root() { return {Kind::kRoot}; }
  /// The same row as root(), but only at vertices where the pulling function has no children; zeros elsewhere.
  static RowMap start() { return {Kind::kStart}; }
  /// All rows of the sample, in the order of its vertices; to be read with Vertex::pull_all.
  static RowMap all() { return {Kind::kAll}; }
  /// The row that was pushed over the vertex whose number in the sample is given by the index port `name` of the data;
  /// zeros for -1.
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

/// Where a vertex function runs.
struct FunctionOptions {
  std::vector<std::string> over = {};  // types of the data's vertices; empty: the type of the function's own name
  bool reverse = false;  // children and parents change roles: a chain is read from its end, a tree from its root
};

/// A vertex function as it was declared.
struct FunctionInfo {
  std::string name;
  std::vector<std::string> over = {};                 // types of vertices at which it is evaluated
  std::vector<std::string> pushes = {}, states = {};  // names, each once; states: what it scatters
  bool has_dropout = false;
};

struct ModelOptions {
  std::uint64_t seed = 1;
};

/// A model: parameters, and one vertex function for each vertex type. A copy is independent of the original.
class Model {
 public:
  explicit Model(ModelOptions options = {});

  /// Declares a parameter, or returns the one of this name, which must have this shape (`init` is then ignored).
  Parameter parameter(const std::string& name, Shape shape, Initializer init = Initializer::xavier_uniform());
  Lookup lookup(const std::string& name, Shape shape, Initializer init = Initializer::uniform(0.1F));

  /// Declares the vertex function of the type `type`. With `options` it is a function of that name over other vertices,
  /// and several functions may run over the same ones. Shapes and domains are checked here.
  /// @throws UserError that names the function, the value and the shapes; the model is then unchanged.
  void vertex_function(const std::string& type, const std::function<void(Vertex&)>& declare,
                       const FunctionOptions& options = {});
  /// Adds nodes to the vertex function of `type`, which was declared before; for example a push of what
  /// Vertex::scattered returns. @throws UserError as vertex_function does, or if there is no such function. Copies
  /// of the model do not change.
  void extend(const std::string& type, const std::function<void(Vertex&)>& declare);

  /// Feeds a pull port from a push port, which is then no longer an output of the model. One push may feed many pulls;
  /// pushes of functions over different vertices may feed one pull. What does not fit (ports, widths, a cycle) is
  /// refused when the model is compiled.
  void connect(const FunctionPort& from, const FunctionPort& to, const RowMap& rows = RowMap::same());
  const std::vector<Connection>& connections() const { return connections_; }
  /// Whether the model is a network: it has a connection, or a vertex function with FunctionOptions. Its graphs must
  /// then be made from those of the data by network_builder.
  bool is_network() const;
  /// The same computation without connections: each connected pull becomes a gather from one more child, and the push
  /// that it reads becomes a scatter. For graphs made by network_builder, but without GraphSchema::connected set.
  /// @throws UserError if a connection does not fit.
  Model connected() const;

  const std::vector<ParameterInfo>& parameters() const { return parameters_; }
  const std::vector<Function>& functions() const { return *functions_; }
  /// Names of the vertex types, in the order of declaration.
  std::vector<std::string> types() const;
  /// Names and outputs of the vertex functions, in the order of declaration.
  std::vector<FunctionInfo> function_infos() const;
  std::uint64_t seed() const { return options_.seed; }
  /// Parameters with their initial values.
  std::shared_ptr<Parameters> make_parameters() const;

  /// The vertex functions, parameters and options as versioned JSON, from which from_json makes the same model again.
  std::string to_json() const;
  /// @throws UserError on anything that is not such a document.
  static Model from_json(const std::string& text);

 private:
  friend class FunctionBuilder;
  void append_nodes(std::vector<Function> all, std::size_t at, const std::function<void(Vertex&)>& declare);

  ModelOptions options_;
  std::vector<ParameterInfo> parameters_;
  std::vector<Connection> connections_;
  std::shared_ptr<std::vector<Function>> functions_;
  std::vector<std::shared_ptr<FunctionBuilder>> builders_;  // so that a Value that outlives its function is recognised
};

// Operators. x, y: values of any shape. A scalar is broadcast to any shape. A value with one row for all vertices is
// broadcast to a row per vertex, and that to a row per edge (cavs/attributes.h).

/// Applies the operator of this name, one that `cavs ops` lists and that has a value. `attributes` must have the type
/// that the operator takes (cavs/attributes.h).
/// Example: apply_op("slice", {x}, attr::Columns{.begin = 2, .count = 4}).
/// @throws UserError where there is no such operator, or inputs or attributes do not fit it.
Value apply_op(std::string_view op, const std::vector<Value>& in, const Attributes& attributes);
Value apply_op(std::string_view op, const std::vector<Value>& in);

Value operator+(const Value& x, const Value& y);
Value operator-(const Value& x, const Value& y);
Value operator*(const Value& x, const Value& y);  // element by element
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
Value multiply(const Value& x, const Parameter& w);  // element by element
/// Product of two values of a vertex: [m, k] times [k, n]: [m, n]; one of them may be a vector [k].
Value batch_matmul(const Value& x, const Value& y);
Value batch_matmul(const Value& x, const Parameter& w);

/// y_j = log(sum_i(exp(x_i + w_ij))), of [k] and [k, n]: the logarithm of the product of exp(x) and exp(w).
inline Value log_matmul(const Value& x, const Value& w) { return apply_op("log_matmul", {x, w}); }
Value log_matmul(const Value& x, const Parameter& w);
/// y_j = max_i(x_i + w_ij), of [k] and [k, n]; of several largest terms the first takes the gradient.
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
/// Sine and cosine are within 5e-7 for |x| below 10,000, and lose digits beyond.
inline Value sin(const Value& x) { return apply_op("sin", {x}); }
inline Value cos(const Value& x) { return apply_op("cos", {x}); }
inline Value floor(const Value& x) { return apply_op("floor", {x}); }  // no gradient, as round and sign
inline Value round(const Value& x) { return apply_op("round", {x}); }  // halves to the even number
inline Value sign(const Value& x) { return apply_op("sign", {x}); }
/// Not a number where x < 0 and y is not whole. Where x is not above 0, y has no gradient.
inline Value pow(const Value& x, const Value& y) { return apply_op("pow", {x, y}); }
/// x where the condition is not 0, else 0, whatever x is there (0 * inf is not a number). The condition has no
/// gradient.
inline Value keep(const Value& condition, const Value& x) { return apply_op("keep", {condition, x}); }
/// x where the condition is not 0, else y; the side that is not chosen may be infinite or not a number. The condition
/// has no gradient. The side that is not chosen gets the gradient 0, which is then multiplied by what it was computed
/// with: where(x > 0, log(x), 0) has no number as gradient at x = 0.
Value where(const Value& condition, const Value& x, const Value& y);
inline Value max(const Value& x, const Value& y) { return apply_op("max", {x, y}); }
inline Value min(const Value& x, const Value& y) { return apply_op("min", {x, y}); }
inline Value softmax(const Value& x) { return apply_op("softmax", {x}); }  // over the features, like log_softmax
inline Value log_softmax(const Value& x) { return apply_op("log_softmax", {x}); }
inline Value concat(const std::vector<Value>& parts) { return apply_op("concat", parts); }  // of vectors
/// [n] -> [n, n], zeros beside the diagonal.
inline Value diagonal(const Value& x) { return apply_op("diagonal", {x}); }
inline Value dot(const Value& x, const Value& y) { return apply_op("dot", {x, y}); }  // over the features -> []
inline Value sum_features(const Value& x) { return apply_op("sum_features", {x}); }
inline Value mean_features(const Value& x) { return apply_op("mean_features", {x}); }
inline Value max_features(const Value& x) { return apply_op("max_features", {x}); }
/// log(sum(exp(x))) -> [].
inline Value log_sum_exp(const Value& x) { return apply_op("log_sum_exp", {x}); }
/// 1 at the largest feature (the first of several), else 0; no gradient.
inline Value hard_max(const Value& x) { return apply_op("hard_max", {x}); }
/// Over the children of each vertex: edge rows in, one vertex row out; 0 where there are no children.
inline Value sum(const Value& x) { return apply_op("sum_children", {x}); }
inline Value mean(const Value& x) { return apply_op("mean_children", {x}); }
inline Value max(const Value& x) { return apply_op("max_children", {x}); }
/// The value of the vertex, repeated for each child that is present: one row for each row of Vertex::children.
/// Model::vertex_function throws UserError if the function does not call Vertex::children.
inline Value each_child(const Value& x) { return apply_op("each_child", {x}); }
/// Over the children of each vertex, each feature by itself: edge rows in, edge rows out.
inline Value softmax_children(const Value& x) { return apply_op("softmax_children", {x}); }

/// Scaled dot-product attention of a vertex over its children (Vaswani et al., 2017, equation 1).
/// @param query   [d], one row per vertex
/// @param keys    [d], one row per child
/// @param values  [n], one row per child
/// @return [n], one row per vertex: the sum of the values, weighted by softmax(query . keys / sqrt(d)); zeros where
/// there are no children.
Value attention(const Value& query, const Value& keys, const Value& values);
/// Additive attention over the children (Bahdanau et al., 2015, appendix A.1.2): scores are tanh(query + keys) . v.
/// Pass query * Wq, and children("k"), where each child scatters h * Wk as "k": so each is multiplied only once.
/// @param query, keys  [d]   @param v  [d]   @param values  [n]   @return [n], as attention
Value additive_attention(const Value& query, const Value& keys, const Value& values, const Parameter& v);

/// [classes]: 1 at the index, else 0; zeros where it is -1. No gradient.
Value one_hot(const IndexValue& index, int classes);
Value slice(const Value& x, int begin, int length);
Value reshape(const Value& x, Shape shape);
Value layer_norm(const Value& x, double epsilon = 1e-5);  // over the features, without scale and shift
/// Zeroes each element with probability p and scales the rest by 1 / (1 - p), in training only. Each vertex has a mask
/// of its own; where x has one row for each child, each child has one.
Value dropout(const Value& x, double p);
/// The same with one mask for all vertices, or all children, of a sample, for recurrent networks (Gal and Ghahramani,
/// 2016).
Value sample_dropout(const Value& x, double p);
/// [classes] logits and one class per vertex -> [], 0 where the label is -1.
Value softmax_cross_entropy(const Value& logits, const IndexValue& label);
/// Softmax over the candidates, which are the features with mask > 0. All other features are 0; all are 0 if there
/// is no candidate. Only the candidates of x get a gradient.
/// @param x, mask  [n]   @return [n]
Value masked_softmax(const Value& x, const Value& mask);
/// -log masked_softmax(logits, mask)[label] -> [], 0 where the label is -1. The label must be a candidate.
Value masked_softmax_cross_entropy(const Value& logits, const Value& mask, const IndexValue& label);
/// Highway layer (Srivastava et al., 2015, equation 3): t * y + (1 - t) * x with the gate t = sigmoid(x * w + b).
/// @param x, y  [n], a layer's input and what the layer makes of it   @param w  [n, n]   @param b  [n]
Value highway(const Value& x, const Value& y, const Parameter& w, const Parameter& b);
/// Mean of squared differences over the features -> []. Where the target is pulled, and the vertex has none, it is 0
/// and has no gradient (Vertex::where_present).
Value mean_squared_error(const Value& x, const Value& target);

struct Size2d {
  int height = 1, width = 1;
};
// Images are values [height, width, channels]; reshape makes one of a pulled row. A window begins at the upper left
// corner and moves by `stride` pixels as long as it is inside the image and the `padding` zeros around it.

/// The pixels of each window as a row (im2col): [rows * columns, window height * window width * channels].
Value unfold(const Value& x, Size2d window, int stride = 1, int padding = 0);
/// Convolution, as cross-correlation: [rows, columns, n].
/// @param w  [kernel height, kernel width, channels, n]   @param b  [n]
/// Cost: a product of [rows * columns, kernel size * channels] with w, and memory for its first factor (unfold).
Value conv2d(const Value& x, const Parameter& w, const Parameter& b, int stride = 1, int padding = 0);
/// Largest, or mean, of each channel in a window: [rows, columns, channels]. The first of several largest pixels takes
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
