#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cavs/model.h"
#include "helpers/graphs.h"
#include "law/operators.h"

/// Models as plain values, which can be drawn, made smaller, printed and declared.
namespace cavs::law {

/// Applies an operator, or a sink, to values of the function: numbers of what its prelude and its lines before made.
struct Line {
  int what = 0;
  int x = 0, y = 0;
};

/// Feeds a pull of a function of a network.
struct Feed {
  int from = 0;  // function whose port "link" it is
  RowMap::Kind rows = RowMap::Kind::kSame;
};

struct LawFunction {
  std::vector<int> over = {};  // of a network: types of the data
  bool reverse = false;
  int slots = kAny;  // children that it gathers by number, or any number of them
  int first = 0;     // slot from which children() reads
  std::vector<Feed> feeds = {};
  std::vector<Line> lines = {}, sinks = {};

  static constexpr int kAny = -1;
};

struct LawModel {
  std::uint64_t seed = 1;
  int width = 6;
  bool network = false;
  int types = 1;                            // of the data
  std::vector<LawFunction> functions = {};  // of a plain model: one per type
};

/// The shape of samples. Some connections of networks need one root per sample.
enum class Family : std::uint8_t { kSingle, kChain, kTree, kDag };

LawModel draw_model(Numbers& numbers, Family family, int size);

/// One expression of a function: an operator applied to operands, or a sink to one.
struct Operand {
  int value = -1;
  bool is_summed = false;  // over the edges
};
struct Statement {
  const Operator* op = nullptr;  // of a sink: nullptr
  const Sink* sink = nullptr;
  Operand x = {}, y = {};
};
std::vector<Statement> statements(const LawModel& model, const LawFunction& function);
std::size_t prelude_size(const LawFunction& function);

std::string function_name(const LawModel& model, std::size_t function);
std::string type_name(int type);
/// Where the feed of this number arrives.
std::string feed_port(const LawFunction& function, std::size_t feed);

Model declare(const LawModel& model);

/// The same without a line; what read it reads its first operand.
LawFunction without_line(const LawFunction& function, std::size_t line);
/// The same without something that it pulls; what read it reads the word.
LawFunction without_feed(const LawFunction& function, std::size_t feed);
/// The same without a function; its vertices become those of function 0, which takes any number of children.
LawModel without_function(const LawModel& model, std::size_t function);

}  // namespace cavs::law
