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

/// One operator inside a vertex function, and its one value.
struct Node {
  const OpDef* op = nullptr;
  std::vector<ValueId> in;
  Attributes attributes;
  Shape shape;
  bool shape_known = false;  // a state's shape is known once its scatter has been seen
  Domain domain;
  bool is_index = false;                                     // integers, one a row
  std::string name;                                          // given by the user, for messages
  ValueId recomputed = -1;                                   // the value of F that this node of ∂F computes once more
  std::shared_ptr<const DefinedOperator> defined = nullptr;  // what `op` is part of, if it is not the library's

  /// Attributes of an operator of that family.
  template <typename A>
  const A& get() const {
    return std::get<A>(attributes);
  }
  /// The parameter, state or port that the attributes name; empty where they name none.
  const std::string& attribute_name() const;
  bool is(OpId id) const;
  bool is(std::initializer_list<OpId> any) const;
  bool operator==(const Node&) const = default;
};

/// A vertex function: nodes in an order in which inputs come first (SSA). Nodes [0, forward) are F; the rest, once
/// differentiated, are ∂F and may read the values of F.
struct Function {
  std::string name;
  std::vector<Node> nodes;
  std::int32_t forward = 0;
  std::vector<std::string> over = {};  // FunctionOptions
  bool reverse = false;

  bool differentiated() const { return forward < static_cast<std::int32_t>(nodes.size()); }
  bool operator==(const Function&) const = default;
};

/// "'iou' (%7 = matmul)", for messages.
std::string describe(const Function& f, ValueId id);

/// Appends a node, infers its domain and, where its inputs' shapes are known, its shape.
/// @throws UserError if the operator refuses its inputs.
ValueId append(Function& f, const OpDef& op, std::vector<ValueId> in, Attributes attributes = {});
ValueId append(Function& f, OpId op, std::vector<ValueId> in, Attributes attributes = {});

/// Whether the node reads states of children.
bool is_gather(const Node& node);

/// The types of the data's vertices that f runs over: that of its own name where it does not say.
std::vector<std::string> types_over(const Function& f);

/// Whether the node is external input of edges.
bool is_edge_pull(const Node& node);

/// The first slot whose children are the edges of f's vertices: that of its `children` nodes and of what it pulls of
/// edges; 0 where it has none.
std::int32_t first_edge_slot(const Function& f);

/// How many child slots f gathers by their numbers; -1 where it reads any number of children.
std::int32_t max_child_slots(const Function& f);

/// The kept nodes; none that is kept may read one that is not.
Function select_nodes(const Function& f, const std::vector<char>& kept);

/// @throws UserError if the slot is negative, or f has edges that begin in another one.
void check_first_edge(const Function& f, std::int32_t slot);

/// @throws UserError if f pulls input of edges, or has `each_child`, but no `children`, whose rows they are.
void check_edge_pulls(const Function& f);

/// @throws UserError if f reads a parameter or a table that is not declared as f uses it.
void check_parameters(const Function& f, const std::vector<ParameterInfo>& declared);

/// @throws UserError naming the function unless the operator takes so many inputs.
void check_inputs(const OpDef& op, std::size_t inputs, const std::string& function);

/// `attributes`, or, where they are none, the operator's own.
/// @throws UserError naming the function if they are of another family.
Attributes attributes_for(const OpDef& op, Attributes attributes, const std::string& function);

/// Infers shape and domain of a node from its inputs.
void infer(const Function& f, Node& node, ValueId id);

}  // namespace cavs::inline v0_1
