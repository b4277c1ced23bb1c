#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cavs/model.h"

/// The operators of random functions. Each is one expression, which is compiled and, as text, printed.
namespace cavs::law {

inline constexpr int kWords = 7, kLabels = 5, kBoxWidth = 4, kRelations = 6, kBondWidth = 3;

/// The rows that an operator takes and gives. A function's edges are its children from slot `first` on, or what it
/// pulls of all vertices.
enum class Rows : std::uint8_t {
  kVertex,        // an input of the vertex
  kEdges,         // an input of the edges to children
  kAny,           // rows of x and y alike
  kVertexOnly,    // edge operands are summed first
  kEdgeToVertex,  // x has edges, the result has not
  kEdgeToEdge,    // x has edges
};

/// m: the model, v: the vertex, d: the width of all values, first: see Rows; x, y: operands.
using Make = Value (*)(Model& m, Vertex& v, int d, int first, const Value& x, const Value& y);

struct Operator {
  std::string_view text;
  Rows rows = Rows::kAny;
  int weight = 1;  // how often it is drawn
  Make make = nullptr;
};

/// Where an expression has no place for an operand it takes none.
bool uses(const Operator& op, char operand);

/// Inputs come first.
std::span<const Operator> all_operators();

/// The first values of a function. word and box are always there, the others where it has such children or pulls.
enum class Prelude : std::uint8_t { kWord, kBox, kChild0, kChild1, kChildren, kPull0, kPull1, kPullAll };
const Operator& prelude(Prelude number);

/// A use that a function makes of its values.
struct Sink {
  enum class Kind : std::uint8_t { kState, kOut, kScore, kLink, kLoss };
  Kind kind = Kind::kLoss;
  std::string_view text;
  bool edges = false;  // needs children of any number
  int weight = 1;
  void (*apply)(Model& m, Vertex& v, int d, int first, const Value& x) = nullptr;
};
std::span<const Sink> all_sinks();

}  // namespace cavs::law
