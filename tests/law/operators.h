#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cavs/model.h"

/// The operators of random functions. Each is one expression, which is both compiled and printed as text.
namespace cavs::law {

inline constexpr int kWords = 7, kLabels = 5, kBoxWidth = 4, kRelations = 6, kBondWidth = 3;

/// The rows that an operator reads and returns. The edges of a function are its children from slot `first` on, or the
/// rows of a pull of all vertices.
enum class Rows : std::uint8_t {
  kVertex,        // input of the vertex
  kEdges,         // input of the edges to children
  kAny,           // x and y may have rows of either kind
  kVertexOnly,    // edge operands are summed first
  kEdgeToVertex,  // x has rows of edges, the result has rows of vertices
  kEdgeToEdge,    // x and the result have rows of edges
};

/// Parameters: model m, vertex v, width d of all values, slot `first` (see Rows), operands x and y.
using Make = Value (*)(Model& m, Vertex& v, int d, int first, const Value& x, const Value& y);

struct Operator {
  std::string_view text;
  Rows rows = Rows::kAny;
  int weight = 1;  // relative frequency
  Make make = nullptr;
};

/// True if the expression uses the operand 'x' or 'y'.
bool uses(const Operator& op, char operand);

/// All operators. Inputs come first.
std::span<const Operator> all_operators();

/// The first values of a function. kWord and kBox always exist; the others only if it has such children or pulls.
enum class Prelude : std::uint8_t { kWord, kBox, kChild0, kChild1, kChildren, kPull0, kPull1, kPullAll };
const Operator& prelude(Prelude number);

/// A statement that consumes a value of the function.
struct Sink {
  enum class Kind : std::uint8_t { kState, kOut, kScore, kLink, kLoss };
  Kind kind = Kind::kLoss;
  std::string_view text;
  bool edges = false;  // needs any number of children
  int weight = 1;
  void (*apply)(Model& m, Vertex& v, int d, int first, const Value& x) = nullptr;
};
std::span<const Sink> all_sinks();

}  // namespace cavs::law
