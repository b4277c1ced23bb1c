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

/// How an operator is carried out. What is not `kElementwise` names its kernel by the operator's own name.
enum class OpKind : std::uint8_t {
  kSource,       // has no inputs that are computed: parameter, pull, gather, ...
  kSink,         // has no value: scatter, push, loss, gradients of parameters
  kView,         // other columns, rows or shape of its input's storage
  kConcat,       // inputs are written where they belong, or copied
  kElementwise,  // a scalar expression
  kRow,          // a row kernel
  kMatmul,       // rows times a parameter
  kReduceRows,   // all rows to one value of parameter domain
  kLinearLoss,   // a product with a parameter and its cross-entropy, or a gradient of that
};

/// When an operator's row is zero because inputs' rows are: then it need not be evaluated on absent rows.
enum class ZeroRule : std::uint8_t { kNever, kAllInputs, kAnyInput };

/// Whether the gradient of an operator is the same linear function of dy in every row, so that rows of dy can be summed
/// before it is applied. `kWithConstant`: where one of the inputs is a constant.
enum class LinearRule : std::uint8_t { kNo, kYes, kWithConstant };

/// What an operator does with the states of vertices (Cavs, section 3.1): tasks wait for what is gathered.
enum class StateUse : std::uint8_t { kNone, kGathers, kScatters };

/// What a shape rule sees. Inputs' domains are joined beforehand; a rule changes node().domain only where it differs.
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
  void set_shape(Shape shape) { node_.shape = std::move(shape), node_.shape_known = true; }

  /// "[matmul] ..., in vertex function 'f', value %7".
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_with(fmt::format(format, std::forward<Args>(args)...));
  }
  /// "x is [4] (%3 = tanh)", for messages.
  std::string show(int i) const;

 private:
  [[noreturn]] void fail_with(const std::string& what) const;

  const Function& f_;
  Node& node_;
  ValueId id_;
};

/// What a gradient rule sees: g.dx(0) += g.dy() * (1 - g.y() * g.y()). The rule's values are nodes appended to ∂F.
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
  /// Appends an operator without value.
  void sink(OpId op, std::vector<Value> in, Attributes attributes) const;
  /// A scalar in every element of `shape`.
  Value broadcast(const Value& scalar, const Shape& shape) const;
  /// Contributes g to the columns of dx(0) from `begin`.
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
    ValueId input;
    ValueId gradient;
    std::int32_t begin = -1;  // first column; -1: all columns
  };
  std::vector<Contribution> contributions;

 private:
  FunctionBuilder& builder_;
  ValueId node_, dy_;
};

/// Arguments of an element-wise operator's expression.
struct Expression {
  std::span<const Scalar> x;
  const Attributes& attributes;

  template <typename A>
  const A& get() const {
    return std::get<A>(attributes);
  }
};

/// One vertex's data as the plain interpreter sees it: rows of doubles (an edge value has one row a child).
struct ReferenceTensor {
  std::int64_t rows = 1, width = 1;
  std::vector<double> data;
  double& at(std::int64_t r, std::int64_t c) { return data[r * width + c]; }
  double at(std::int64_t r, std::int64_t c) const { return data[r * width + c]; }
};

/// Arguments of an operator's plain definition: y is sized and zero; inputs have been broadcast to y's rows where the
/// operator works row by row.
struct Reference {
  std::vector<const ReferenceTensor*> x;
  ReferenceTensor& y;
  const Attributes& attributes;
  std::function<double(std::int64_t row, std::int64_t column)> random = {};  // dropout: 0 or 1, by Philox

  template <typename A>
  const A& get() const {
    return std::get<A>(attributes);
  }
};

/// An input that is a number of the data, which a kernel uses as an index: the row of a table, a class.
struct IndexInput {
  int input = 0;
  /// Numbers are -1 (absent) or below it. Of the node as it is after all passes.
  std::int32_t (*limit)(const Function& f, const Node& node) = nullptr;
  std::string_view declared_as = {};  // the operator of the user's that a pass made this one of; empty: it is the same
};

/// All the library knows about an operator, but for its inner loops.
struct OpDef {
  std::string_view name;
  OpId id = OpId::kDefined;
  std::vector<std::string_view> params;  // names of the inputs
  Attributes attributes = attr::None{};  // the family that it takes, and what they are where they are not given
  OpKind kind = OpKind::kRow;
  bool variadic = false;
  bool partial = false;   // infer copes with inputs whose shape is not known yet
  bool in_public = true;  // offered to users; the others are made by autodiff
  ZeroRule zero = ZeroRule::kNever;
  std::optional<DomainKind> domain = std::nullopt;  // where it is not the join of the inputs'
  std::optional<IndexInput> index = std::nullopt;   // data are checked against it before they are evaluated
  LinearRule linear = LinearRule::kNo;
  StateUse states = StateUse::kNone;
  std::optional<DomainKind> runs_over = std::nullopt;  // where it is not row by row of its own domain
  bool reads_children = false;  // its first input has a row a child; a row of the value is made of all of a vertex's
  bool column_wise = false;     // not element-wise, but a column of the value needs that column of the inputs alone
  bool indexed = false;         // its rows are read in place, through a list of rows
  bool places_input = false;    // what computes the input writes it where it belongs: a state, an output
  std::optional<OpId> sum = std::nullopt;  // the sum of several of it, whose inputs are theirs, one after the other
  std::function<void(Inference&)> infer = nullptr;
  std::function<void(GradientRule&)> gradient = nullptr;  // none: no gradient
  std::function<Scalar(const Expression&)> expr = nullptr;
  std::function<void(Reference&)> reference = nullptr;  // none: element-wise, or made by a pass
  std::function<Value(const std::vector<Value>&, const Attributes&)> expand = nullptr;  // made of other operators
  std::string_view doc;
  std::weak_ptr<const DefinedOperator> defined = {};  // where it belongs to one; else it is the library's
};

/// All operators of the library, in the order of op_list.inc.
std::span<const OpDef* const> all_ops();
/// By the name that F as JSON and the command line have. @throws UserError with a suggestion if there is none.
const OpDef& find_op(std::string_view name);
const OpDef& find_op(OpId id);

// Shape rules that several operators share.
void same_shape_as_first(Inference& i);
void broadcast_shape(Inference& i);  // element-wise: equal shapes, or a scalar beside any shape; [] beside [1] is [1]
void scalar_shape(Inference& i);
void takes_edges(Inference& i);  // the shape of a row a child
void state_shape(Inference& i);  // known once the scatter of the state has been seen

}  // namespace cavs::inline v0_1
