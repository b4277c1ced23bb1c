#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "cavs/model.h"
#include "ir/function.h"
#include "ir/scalar_builder.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

/// Ways to execute an operator. All kinds but `kElementwise` find their kernel by the operator's name.
enum class OpKind : std::uint8_t {
  kSource,       // has no inputs that are computed: parameter, pull, gather, ...
  kSink,         // has no value: scatter, push, loss, gradients of parameters
  kView,         // its value is the memory of its input, with other columns, rows or shape
  kConcat,       // inputs are written in place into the result, or copied
  kElementwise,  // evaluates a scalar expression
  kRow,          // has a row kernel
  kMatmul,       // multiplies rows by a parameter
  kReduceRows,   // sums all rows to one value of domain `parameter`
  kLinearLoss,   // a product with a parameter followed by a cross-entropy, or a gradient of the two
};

/// The inputs that must be zero in a row for the value to be zero there. Such rows need not be evaluated.
enum class ZeroRule : std::uint8_t { kNever, kAllInputs, kAnyInput };

/// kYes if the gradient of an operator is a linear function of dy that is the same in every row. Rows of dy can then be
/// summed before the gradient is computed. kWithConstant means kYes if an input is a constant.
enum class LinearRule : std::uint8_t { kNo, kYes, kWithConstant };

/// Use of the states of vertices (Cavs, section 3.1). Tasks wait for the states that they gather.
enum class StateUse : std::uint8_t { kNone, kGathers, kScatters };

/// The argument of a shape rule: a node and its inputs. The node's domain has already been set to the join of the
/// inputs' domains; a rule changes node().domain only where another domain is needed.
class Inference {
 public:
  Inference(const Function& f, Node& node, ValueId id) : f_(f), node_(node), id_(id) {}

  Node& node() { return node_; }
  template <typename A>
  const A& get() const {
    return node_.get<A>();
  }
  const Node& in(int i) const { return f_.nodes[node_.in[i]]; }
  int inputs() const { return static_cast<int>(node_.in.size()); }
  void set_shape(Shape shape) {
    node_.shape = std::move(shape);
    node_.shape_known = true;
  }

  /// Throws a UserError such as "[matmul] ..., in vertex function 'f', value %7".
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_with(fmt::format(format, std::forward<Args>(args)...));
  }
  /// Returns a text for messages, such as "x is [4] (%3 = tanh)".
  std::string show(int i) const;

 private:
  [[noreturn]] void fail_with(const std::string& what) const;

  const Function& f_;
  Node& node_;
  ValueId id_;
};

/// The argument of a gradient rule, such as g.dx(0) += g.dy() * (1 - g.y() * g.y()). All values are nodes of ∂F.
class GradientRule {
 public:
  GradientRule(FunctionBuilder& builder, ValueId node, ValueId dy) : builder_(builder), node_(node), dy_(dy) {}

  Value x(int i) const;
  Value y() const;
  Value dy() const;
  const Attributes& attributes() const;
  template <typename A>
  const A& get() const {
    return std::get<A>(attributes());
  }
  const Shape& shape(int i) const;
  /// Appends any operator to ∂F.
  Value apply(OpId op, std::vector<Value> in, Attributes attributes = {}) const;
  Value apply(const OpDef& op, const std::vector<Value>& in) const;
  /// Appends an operator that has no value.
  void sink(OpId op, std::vector<Value> in, Attributes attributes) const;
  /// Broadcasts a scalar to all elements of `shape`.
  Value broadcast(const Value& scalar, const Shape& shape) const;
  /// Adds g to the columns of dx(0) from `begin` on.
  void add_columns(std::int32_t begin, const Value& g);

  class Slot {
   public:
    Slot(GradientRule& rule, int i) : rule_(rule), i_(i) {}
    void operator+=(const Value& g);

   private:
    GradientRule& rule_;
    int i_;
  };
  Slot dx(int i) { return {*this, i}; }
  int inputs() const;

  struct Contribution {
    ValueId input;            // value of F
    ValueId gradient;         // value of ∂F to be added to the gradient of the input
    std::int32_t begin = -1;  // first column of the input that gets the gradient; -1 means all columns
  };
  std::vector<Contribution> contributions;

 private:
  FunctionBuilder& builder_;
  ValueId node_, dy_;
};

/// Arguments of the scalar expression of an element-wise operator.
struct Expression {
  std::span<const Scalar> x;
  const Attributes& attributes;

  template <typename A>
  const A& get() const {
    return std::get<A>(attributes);
  }
};

/// Data of one vertex in the reference interpreter: rows of doubles. A value of domain `edge` has one row per child.
struct ReferenceTensor {
  std::int64_t rows = 1, width = 1;
  std::vector<double> data;
  double& at(std::int64_t r, std::int64_t c) { return data[r * width + c]; }
  double at(std::int64_t r, std::int64_t c) const { return data[r * width + c]; }
};

/// Arguments of the reference definition of an operator. y has its final size, and is zero. If the operator works row
/// by row, its inputs have been broadcast to the rows of y.
struct Reference {
  std::vector<const ReferenceTensor*> x;
  ReferenceTensor& y;
  const Attributes& attributes;
  std::function<double(std::int64_t row, std::int64_t column)> random = {};  // for dropout: 0 drops an element, else 1

  template <typename A>
  const A& get() const {
    return std::get<A>(attributes);
  }
};

/// An input whose numbers come from the data and serve as indices in a kernel: rows of a table, or classes.
struct IndexInput {
  int input = 0;  // position among the operator's inputs
  /// Returns the exclusive upper bound of the numbers, for the node after all passes. -1 is allowed, for absent input.
  std::int32_t (*limit)(const Function& f, const Node& node) = nullptr;
  std::string_view declared_as = {};  // the operator that a pass has replaced by this one, for messages; else empty
};

/// The definition of an operator, without its kernels.
struct OpDef {
  std::string_view name;
  OpId id = OpId::kDefined;
  std::vector<std::string_view> params;  // names of the inputs
  Attributes attributes = attr::None{};  // default attributes, which also determine the family of attributes
  OpKind kind = OpKind::kRow;
  bool variadic = false;  // true if the number of inputs is not fixed
  bool partial = false;   // true if infer accepts inputs of unknown shape
  bool in_public = true;  // true if users may use it; autodiff and passes create the others
  ZeroRule zero = ZeroRule::kNever;
  std::optional<DomainKind> domain = std::nullopt;  // domain of the value; by default the join of the inputs' domains
  std::optional<IndexInput> index = std::nullopt;   // the index input, whose numbers are checked when graphs are bound
  LinearRule linear = LinearRule::kNo;
  StateUse states = StateUse::kNone;
  std::optional<DomainKind> runs_over = std::nullopt;  // domain of the kernel's loop, if it is not the value's
  bool reads_children = false;  // true if input 0 has a row per child, and a row of the value reads those of its vertex
  bool column_wise = false;     // true if column c of the value reads only column c of the inputs (not element-wise)
  bool indexed = false;         // true if readers find the rows of the value through a list of row numbers
  bool places_input = false;    // true for a sink whose input is computed directly into the state or output
  std::optional<OpId> sum = std::nullopt;  // operator for the sum of several such nodes; it takes all their inputs
  std::function<void(Inference&)> infer = nullptr;          // the shape rule
  std::function<void(GradientRule&)> gradient = nullptr;    // null if there is no gradient
  std::function<Scalar(const Expression&)> expr = nullptr;  // for kElementwise
  std::function<void(Reference&)> reference = nullptr;      // null if it is element-wise, or only passes use it
  // Composes the value of other operators, which are appended instead of this operator; null if it is not composed.
  std::function<Value(const std::vector<Value>&, const Attributes&)> expand = nullptr;
  std::string_view doc;
  std::weak_ptr<const DefinedOperator> defined = {};  // the user's operator that contains this one, or empty
};

/// Returns all operators of the library, in the order of op_list.inc.
std::span<const OpDef* const> all_ops();
/// Returns the operator with this name in JSON and on the command line. @throws UserError with a suggestion.
const OpDef& find_op(std::string_view name);
const OpDef& find_op(OpId id);

// Shape rules that several operators use.
void same_shape_as_first(Inference& i);
void broadcast_shape(Inference& i);  // requires equal shapes, or a scalar and any shape; [] and [1] give [1]
void scalar_shape(Inference& i);
void takes_edges(Inference& i);  // requires an input with one row per child; keeps the shape of a row
void state_shape(Inference& i);  // the shape is known once a scatter of the state is found

}  // namespace cavs::inline v0_1
