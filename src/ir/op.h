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

/// How an operator is executed. All kinds but `kElementwise` find their kernel by the operator's name.
enum class OpKind : std::uint8_t {
  kSource,       // has no computed inputs: parameter, pull, gather, ...
  kSink,         // has no value: scatter, push, loss, gradients of parameters
  kView,         // other columns, rows or shape of the memory of its input
  kConcat,       // inputs are written into the result in place, or copied
  kElementwise,  // a scalar expression
  kRow,          // a row kernel
  kMatmul,       // rows times a parameter
  kReduceRows,   // sums all rows to one value of parameter domain
  kLinearLoss,   // a product with a parameter and its cross-entropy, or a gradient of these
};

/// Says when zero rows of inputs make the operator's row zero. Such rows need not be evaluated.
enum class ZeroRule : std::uint8_t { kNever, kAllInputs, kAnyInput };

/// Says if the gradient of an operator is the same linear function of dy in every row, so that rows of dy can be summed
/// first. `kWithConstant` means: if one of the inputs is a constant.
enum class LinearRule : std::uint8_t { kNo, kYes, kWithConstant };

/// Use of the states of vertices (Cavs, section 3.1). Tasks wait for the states that they gather.
enum class StateUse : std::uint8_t { kNone, kGathers, kScatters };

/// The view that a shape rule has of its node. The domain is already the join of the inputs' domains; a rule changes
/// node().domain only if it differs from that.
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

  /// Throws UserError "[matmul] ..., in vertex function 'f', value %7".
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_with(fmt::format(format, std::forward<Args>(args)...));
  }
  /// For messages: "x is [4] (%3 = tanh)".
  std::string show(int i) const;

 private:
  [[noreturn]] void fail_with(const std::string& what) const;

  const Function& f_;
  Node& node_;
  ValueId id_;
};

/// The view that a gradient rule has: g.dx(0) += g.dy() * (1 - g.y() * g.y()). All values are nodes appended to ∂F.
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
    ValueId input;
    ValueId gradient;
    std::int32_t begin = -1;  // first column; -1 means all columns
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

/// Data of one vertex as the plain interpreter sees them: rows of doubles. A value of an edge has one row per child.
struct ReferenceTensor {
  std::int64_t rows = 1, width = 1;
  std::vector<double> data;
  double& at(std::int64_t r, std::int64_t c) { return data[r * width + c]; }
  double at(std::int64_t r, std::int64_t c) const { return data[r * width + c]; }
};

/// Arguments of an operator's plain definition. y has its size and is zero. Inputs of an operator that works row by row
/// have been broadcast to the rows of y.
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

/// An input whose numbers come from the data and are used as indices by a kernel: the row of a table, a class.
struct IndexInput {
  int input = 0;
  /// Exclusive upper bound of the numbers, for the node as it is after all passes. -1 means absent.
  std::int32_t (*limit)(const Function& f, const Node& node) = nullptr;
  std::string_view declared_as = {};  // the user's operator that a pass replaced by this one; empty if none
};

/// All that the library knows about an operator, except its inner loops.
struct OpDef {
  std::string_view name;
  OpId id = OpId::kDefined;
  std::vector<std::string_view> params;  // names of the inputs
  Attributes attributes = attr::None{};  // the family of attributes, and their defaults
  OpKind kind = OpKind::kRow;
  bool variadic = false;
  bool partial = false;   // infer accepts inputs of unknown shape
  bool in_public = true;  // offered to users; autodiff and passes make the others
  ZeroRule zero = ZeroRule::kNever;
  std::optional<DomainKind> domain = std::nullopt;  // if not the join of the inputs' domains
  std::optional<IndexInput> index = std::nullopt;   // data are checked against its limit before evaluation
  LinearRule linear = LinearRule::kNo;
  StateUse states = StateUse::kNone;
  std::optional<DomainKind> runs_over = std::nullopt;  // if not each row of its own domain
  bool reads_children = false;  // input 0 has one row per child; a row of the value reads all rows of a vertex
  bool column_wise = false;     // not element-wise, but a column of the value reads only that column of the inputs
  bool indexed = false;         // its rows are read in place, through a list of rows
  bool places_input = false;    // the producer of its input writes directly to the state or output
  std::optional<OpId> sum = std::nullopt;  // sums several of these; its inputs are theirs, concatenated
  std::function<void(Inference&)> infer = nullptr;
  std::function<void(GradientRule&)> gradient = nullptr;  // null if it has no gradient
  std::function<Scalar(const Expression&)> expr = nullptr;
  std::function<void(Reference&)> reference = nullptr;  // null if element-wise, or made by a pass
  std::function<Value(const std::vector<Value>&, const Attributes&)> expand = nullptr;  // makes it of other operators
  std::string_view doc;
  std::weak_ptr<const DefinedOperator> defined = {};  // the user's operator that has it, if there is one
};

/// All operators of the library, in the order of op_list.inc.
std::span<const OpDef* const> all_ops();
/// Finds an operator by its name in JSON and on the command line. @throws UserError with a suggestion if there is none.
const OpDef& find_op(std::string_view name);
const OpDef& find_op(OpId id);

// Shape rules that several operators share.
void same_shape_as_first(Inference& i);
void broadcast_shape(Inference& i);  // element-wise: equal shapes, or a scalar beside any shape; [] beside [1] is [1]
void scalar_shape(Inference& i);
void takes_edges(Inference& i);  // requires one row per child; keeps the shape of a row
void state_shape(Inference& i);  // known once the scatter of the state has been seen

}  // namespace cavs::inline v0_1
