#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cavs/shape.h"

namespace cavs {

struct OpDef;
struct DefinedOperator;

/// What a value has one row for. `kLabelled` is a vertex that has a label on one index port: what only its losses need
/// has no value elsewhere, and its gradient is zero there. `kPresent` has the same rows: linear functions of an absent
/// input are zero, so they are evaluated on these rows only. `kDistinct` is a number that some vertices of the
/// minibatch have on the port: one row for all of them; zero, too, where the input is absent.
enum class DomainKind : std::uint8_t { kParameter, kLabelled, kPresent, kDistinct, kVertex, kEdge };

struct Domain {
  DomainKind kind = DomainKind::kVertex;
  std::string port = {};  // of kLabelled, kPresent and kDistinct

  bool operator==(const Domain&) const = default;
};

/// Whether it has rows for some of the vertices only, or one for several.
inline bool is_partial(const Domain& domain) {
  return domain.kind >= DomainKind::kLabelled && domain.kind <= DomainKind::kDistinct;
}

std::string to_string(const Domain& domain);

/// The smallest domain that both can be read in: a value is broadcast from parameter to present to vertex to edge.
Domain join(const Domain& a, const Domain& b);

/// What an operator is told besides its inputs. Each operator documents the fields it uses.
struct Attributes {
  std::string name = {};   // parameter, state, port
  std::int32_t index = 0;  // child number, part number, position in a gradient
  std::int32_t count = 0;  // parts, length
  double number = 0;       // constant, epsilon, probability
  Shape shape = {};        // target of reshape

  bool operator==(const Attributes&) const = default;
};

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
  ValueId again = -1;                                        // the value of F that this node of ∂F computes once more
  std::shared_ptr<const DefinedOperator> defined = nullptr;  // what `op` is part of, if it is not the library's
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
};

/// "'iou' (%7 = matmul)", for messages.
std::string describe(const Function& f, ValueId id);

/// Appends a node, infers its domain and, where its inputs' shapes are known, its shape.
/// @throws UserError if the operator refuses its inputs.
ValueId append(Function& f, const OpDef& op, std::vector<ValueId> in, Attributes attributes = {});

/// Whether the node reads states of children.
bool is_gather(const Node& node);

/// The types of the data's vertices that f runs over: that of its own name where it does not say.
std::vector<std::string> types_over(const Function& f);

/// How Attributes::index of `children` says in which slot it begins. Below zero, as it is no child number.
constexpr std::int32_t all_children_from(std::int32_t slot) { return -1 - slot; }

/// The first slot whose children are the edges of f's vertices: that of its `children` nodes; 0 where it has none.
std::int32_t first_edge_slot(const Function& f);

/// How many child slots f gathers by their numbers; -1 where it reads any number of children.
std::int32_t most_children(const Function& f);

/// The kept nodes; none that is kept may read one that is not.
Function select_nodes(const Function& f, const std::vector<char>& kept);

/// @throws UserError if f has edges that begin in another slot than `index` says.
void check_first_edge(const Function& f, std::int32_t index);

/// Infers shape and domain of a node from its inputs.
void infer(const Function& f, Node& node, ValueId id);

}  // namespace cavs
