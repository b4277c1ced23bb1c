#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cavs/model.h"
#include "helpers/graphs.h"
#include "law/operators.h"

/// Models as plain values that can be drawn, made smaller, printed and declared.
namespace cavs::law {

/// Applies an operator or a sink to values of the function. Values are numbered: first the prelude, then earlier lines.
struct Line {
  int what = 0;
  int x = 0, y = 0;
};

/// The source of one pull of a function in a network.
struct Feed {
  int from = 0;  // the function whose port "link" is read
  RowMap::Kind rows = RowMap::Kind::kSame;
};

struct LawFunction {
  std::vector<int> over = {};  // in a network: the types of the data
  bool reverse = false;
  int slots = kAny;  // number of numbered children that it gathers, or kAny
  int first = 0;     // the first slot that children() reads
  std::vector<Feed> feeds = {};
  std::vector<Line> lines = {}, sinks = {};

  static constexpr int kAny = -1;
};

struct LawModel {
  std::uint64_t seed = 1;
  int width = 6;
  bool network = false;
  int types = 1;                            // number of types in the data
  std::vector<LawFunction> functions = {};  // a plain model has one per type
};

/// The shape of samples. Some connections of networks need samples with one root.
enum class Family : std::uint8_t { kSingle, kChain, kTree, kDag };

LawModel draw_model(Numbers& numbers, Family family, int size);

/// One expression of a function: an operator or a sink with its operands.
struct Operand {
  int value = -1;
  bool is_summed = false;  // summed over the edges
};
struct Statement {
  const Operator* op = nullptr;  // nullptr for a sink
  const Sink* sink = nullptr;
  Operand x = {}, y = {};
};
std::vector<Statement> statements(const LawModel& model, const LawFunction& function);
std::size_t prelude_size(const LawFunction& function);

std::string function_name(const LawModel& model, std::size_t function);
std::string type_name(int type);
/// Name of the port that receives the feed of this number.
std::string feed_port(const LawFunction& function, std::size_t feed);

Model declare(const LawModel& model);

/// The function without one line. Readers of the line read its first operand.
LawFunction without_line(const LawFunction& function, std::size_t line);
/// The function without one feed. Readers of the feed read the word.
LawFunction without_feed(const LawFunction& function, std::size_t feed);
/// The model without one function. Vertices of that function get function 0, which takes any number of children.
LawModel without_function(const LawModel& model, std::size_t function);

}  // namespace cavs::law
