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
  std::vector<ValueId> in;  // the input values
  Attributes attributes;
  Shape shape;               // shape of a row
  bool shape_known = false;  // false for a state until a scatter of the state is declared
  Domain domain;
  bool is_index = false;    // true if each row is one integer
  std::string name;         // the name that the user gave the value, for messages
  ValueId recomputed = -1;  // in ∂F: the value of F that this node recomputes; -1 if none
  std::shared_ptr<const DefinedOperator> defined = nullptr;  // the user's operator that contains `op`, or null

  /// Returns the attributes, which must be of family A.
  template <typename A>
  const A& get() const {
    return std::get<A>(attributes);
  }
  /// Returns the parameter, state or port that is named in the attributes; empty if there is none.
  const std::string& attribute_name() const;
  bool is(OpId id) const;
  bool is(std::initializer_list<OpId> any) const;
  bool operator==(const Node&) const = default;
};

/// A vertex function: nodes in an order in which inputs come first (SSA). Nodes [0, forward) are F. The other nodes,
/// which differentiation appends, are ∂F, and may read the values of F.
struct Function {
  std::string name;
  std::vector<Node> nodes;
  std::int32_t forward = 0;            // number of nodes of F
  std::vector<std::string> over = {};  // see FunctionOptions
  bool reverse = false;

  bool differentiated() const { return forward < static_cast<std::int32_t>(nodes.size()); }
  bool operator==(const Function&) const = default;
};

/// Returns a text for messages, such as "'iou' (%7 = matmul)".
std::string describe(const Function& f, ValueId id);

/// Appends a node and infers its domain and, if the shapes of its inputs are known, its shape.
/// @throws UserError if the operator refuses its inputs.
ValueId append(Function& f, const OpDef& op, std::vector<ValueId> in, Attributes attributes = {});
ValueId append(Function& f, OpId op, std::vector<ValueId> in, Attributes attributes = {});

/// True if the node reads states that children scattered.
bool is_gather(const Node& node);

/// Returns the types of vertices in the data that f is evaluated for. The default is the type with the name of f.
std::vector<std::string> types_over(const Function& f);

/// True if the node reads external input of edges.
bool is_edge_pull(const Node& node);

/// Returns the first child slot that is an edge of f's vertices, as the nodes `children` and edge pulls of f define it;
/// 0 if f has no such node.
std::int32_t first_edge_slot(const Function& f);

/// Returns the number of child slots that f gathers by slot number; -1 if f reads any number of children.
std::int32_t max_child_slots(const Function& f);

/// Returns the function with only those nodes for which kept[id] is not 0. They may read only kept nodes.
Function select_nodes(const Function& f, const std::vector<char>& kept);

/// @throws UserError if the slot is negative, or f has edges that begin at another slot.
void check_first_edge(const Function& f, std::int32_t slot);

/// @throws UserError if f has an edge pull or `each_child`, but no `children`, whose rows are the edges.
void check_edge_pulls(const Function& f);

/// @throws UserError if f uses a parameter or a table whose declaration differs.
void check_parameters(const Function& f, const std::vector<ParameterInfo>& declared);

/// @throws UserError that names the function, unless the operator takes this number of inputs.
void check_inputs(const OpDef& op, std::size_t inputs, const std::string& function);

/// Returns `attributes`, or the operator's defaults if there are none.
/// @throws UserError that names the function, if the attributes are of another family.
Attributes attributes_for(const OpDef& op, Attributes attributes, const std::string& function);

/// Infers the shape and the domain of a node from its inputs.
void infer(const Function& f, Node& node, ValueId id);

}  // namespace cavs::inline v0_1
