#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "cavs/attributes.h"
#include "cavs/parameters.h"
#include "cavs/shape.h"
#include "ir/op_id.h"

namespace cavs::inline v0_1 {

struct OpDef;
struct DefinedOperator;

using ValueId = std::int32_t;

/// One operator of a vertex function, and the value that it computes.
struct Node {
  const OpDef* op = nullptr;
  std::vector<ValueId> in;
  Attributes attributes;
  Shape shape;
  bool shape_known = false;  // the shape of a state is known once its scatter has been seen
  Domain domain;
  bool is_index = false;                                     // one integer per row
  std::string name;                                          // the user's name for it, for messages
  ValueId recomputed = -1;                                   // the value of F that this node of ∂F recomputes
  std::shared_ptr<const DefinedOperator> defined = nullptr;  // the user's operator that has `op`, if there is one

  /// The attributes. The operator must be of family A.
  template <typename A>
  const A& get() const {
    return std::get<A>(attributes);
  }
  /// The parameter, state or port that the attributes name; empty if they name none.
  const std::string& attribute_name() const;
  bool is(OpId id) const;
  bool is(std::initializer_list<OpId> any) const;
  bool operator==(const Node&) const = default;
};

/// A vertex function: nodes in SSA order (inputs come first). Nodes [0, forward) are F. The remaining nodes, present
/// after differentiation, are ∂F and may read the values of F.
struct Function {
  std::string name;
  std::vector<Node> nodes;
  std::int32_t forward = 0;
  std::vector<std::string> over = {};  // FunctionOptions
  bool reverse = false;

  bool differentiated() const { return forward < static_cast<std::int32_t>(nodes.size()); }
  bool operator==(const Function&) const = default;
};

/// For messages: "'iou' (%7 = matmul)".
std::string describe(const Function& f, ValueId id);

/// Appends a node and infers its domain and, if the shapes of its inputs are known, its shape.
/// @throws UserError if the operator refuses its inputs.
ValueId append(Function& f, const OpDef& op, std::vector<ValueId> in, Attributes attributes = {});
ValueId append(Function& f, OpId op, std::vector<ValueId> in, Attributes attributes = {});

/// True if the node reads states of children.
bool is_gather(const Node& node);

/// The types of vertices in the data that f runs over; by default the type that has the name of f.
std::vector<std::string> types_over(const Function& f);

/// True if the node is external input of edges.
bool is_edge_pull(const Node& node);

/// The first slot whose children are the edges of f's vertices, as its `children` nodes and edge pulls give it; 0
/// without any of these.
std::int32_t first_edge_slot(const Function& f);

/// Number of child slots that f gathers by slot number; -1 if f reads any number of children.
std::int32_t max_child_slots(const Function& f);

/// The function with the kept nodes alone. A kept node may read only kept nodes.
Function select_nodes(const Function& f, const std::vector<char>& kept);

/// @throws UserError if the slot is negative, or f has edges that begin at another slot.
void check_first_edge(const Function& f, std::int32_t slot);

/// @throws UserError if f has an edge pull or `each_child`, but no `children` that gives it rows.
void check_edge_pulls(const Function& f);

/// @throws UserError if f uses a parameter or a table in another way than it is declared.
void check_parameters(const Function& f, const std::vector<ParameterInfo>& declared);

/// @throws UserError naming the function unless the operator takes this number of inputs.
void check_inputs(const OpDef& op, std::size_t inputs, const std::string& function);

/// Returns `attributes`, or the operator's defaults if there are none.
/// @throws UserError naming the function if the attributes are of another family.
Attributes attributes_for(const OpDef& op, Attributes attributes, const std::string& function);

/// Infers shape and domain of a node from its inputs.
void infer(const Function& f, Node& node, ValueId id);

}  // namespace cavs::inline v0_1
