#include "law/random_model.h"

#include <algorithm>
#include <numeric>

#include "cavs/layers.h"

namespace cavs::law {
namespace {

bool has_edges(const LawFunction& f) {
  return f.slots == LawFunction::kAny ||
         std::ranges::any_of(f.feeds, [](const Feed& feed) { return feed.rows == RowMap::Kind::kAll; });
}

std::vector<Prelude> prelude_of(const LawFunction& f) {
  std::vector<Prelude> all{Prelude::kWord, Prelude::kBox};
  if (f.slots != 0) all.push_back(Prelude::kChild0);
  if (f.slots == 2) all.push_back(Prelude::kChild1);
  if (f.slots == LawFunction::kAny) all.push_back(Prelude::kChildren);
  for (std::size_t i = 0; i < f.feeds.size(); ++i) {
    const std::string port = feed_port(f, i);
    all.push_back(port == "all" ? Prelude::kPullAll : port == "in0" ? Prelude::kPull0 : Prelude::kPull1);
  }
  return all;
}

/// Draws the lines and sinks of one function.
class Drawing {
 public:
  Drawing(Numbers& numbers, LawFunction& function, bool dropout)
      : numbers_(numbers), f_(function), dropout_(dropout), values_(static_cast<int>(prelude_size(function))) {}

  void lines(int count) {
    for (int i = 0; i < count; ++i) add(operator_number());
    if (dropout_) add(number_of("dropout(x, 0.3)"));
  }
  void sink(Sink::Kind kind, std::string_view with = {}) { f_.sinks.push_back({sink_number(kind, with), value(), 0}); }

 private:
  void add(int what) {
    f_.lines.push_back({what, value(), value()});
    ++values_;
  }
  static int number_of(std::string_view text) {
    const auto all = all_operators();
    return static_cast<int>(std::ranges::find(all, text, &Operator::text) - all.begin());
  }
  /// Draws a value; later values are more likely.
  int value() {
    const int last = std::min(values_, 4);
    return numbers_.below(2) == 0 ? numbers_.below(values_) : values_ - 1 - numbers_.below(last);
  }
  bool fits(const Operator& op) const {
    const bool edges = op.rows == Rows::kEdges || op.rows == Rows::kEdgeToVertex || op.rows == Rows::kEdgeToEdge;
    if (edges && !has_edges(f_)) return false;
    if (op.rows == Rows::kEdges && f_.slots != LawFunction::kAny) return false;  // such a function has only pull_all
    return dropout_ || op.text.find("dropout") == op.text.npos;
  }
  int operator_number() {
    const auto all = all_operators();
    const auto weight = [&](const Operator& op) { return fits(op) ? op.weight : 0; };
    int left = 0;
    for (const Operator& op : all) left += weight(op);
    left = numbers_.below(left);
    int number = 0;
    while (left >= weight(all[number])) left -= weight(all[number++]);
    return number;
  }
  int sink_number(Sink::Kind kind, std::string_view with) {
    const auto all = all_sinks();
    const auto weight = [&](const Sink& sink) {
      const bool fits =
          sink.kind == kind && sink.text.find(with) != sink.text.npos && (!sink.edges || f_.slots == LawFunction::kAny);
      return fits ? sink.weight : 0;
    };
    int left = 0;
    for (const Sink& sink : all) left += weight(sink);
    left = numbers_.below(left);
    int number = 0;
    while (left >= weight(all[number])) left -= weight(all[number++]);
    return number;
  }

  Numbers& numbers_;
  LawFunction& f_;
  bool dropout_;
  int values_;
};

/// Draws if none, some or all of several types do a thing.
std::vector<char> some(Numbers& numbers, std::size_t count) {
  std::vector<char> chosen(count);
  const int kind = numbers.below(4);
  for (char& one : chosen) one = kind == 0 ? 0 : kind == 1 ? 1 : numbers.below(2) == 0;
  return chosen;
}

void draw_bodies(Numbers& numbers, LawModel& model, int size) {
  const std::size_t count = model.functions.size();
  const std::vector<char> dropout = some(numbers, count), pushes = some(numbers, count), losses = some(numbers, count);
  const bool lossless = numbers.below(12) == 0;
  for (std::size_t i = 0; i < count; ++i) {
    LawFunction& f = model.functions[i];
    Drawing drawing(numbers, f, dropout[i] != 0);
    drawing.lines(numbers.below(2 + size / 4));
    if (!model.network || f.slots != 0) {
      drawing.sink(Sink::Kind::kState, "\"h\"");
      drawing.sink(Sink::Kind::kState, "\"g\"");
    }
    if (model.network) drawing.sink(Sink::Kind::kLink);
    // Every model has function 0. It always has a push, and it has a loss unless the model is to have none.
    if (i == 0 || pushes[i] != 0) drawing.sink(Sink::Kind::kOut);
    if (pushes[i] != 0 && numbers.below(2) == 0) drawing.sink(Sink::Kind::kScore);
    if (!lossless && (i == 0 || losses[i] != 0))
      for (int n = 1 + numbers.below(3); n > 0; --n) drawing.sink(Sink::Kind::kLoss);
  }
}

void draw_plain(Numbers& numbers, LawModel& model) {
  for (int t = 0; t < model.types; ++t) {
    LawFunction& f = model.functions.emplace_back();
    if (t > 0) f.slots = numbers.below(4) - 1;
    f.first = numbers.below(4) == 0 ? 1 : 0;
  }
}

/// Draws a connection that fits: only a function with one root per sample can be read at its root.
Feed draw_feed(Numbers& numbers, const LawModel& model, Family family, int to) {
  Feed feed{.from = numbers.below(to)};
  const LawFunction& from = model.functions[feed.from];
  const bool one_root = from.slots != 0 && (family == Family::kChain || family == Family::kSingle ||
                                            (family == Family::kTree && !from.reverse));
  std::vector<RowMap::Kind> kinds{RowMap::Kind::kAll};
  const auto overlaps = [&](int type) {
    return std::ranges::find(model.functions[to].over, type) != model.functions[to].over.end();
  };
  if (std::ranges::any_of(from.over, overlaps)) kinds.push_back(RowMap::Kind::kSame);
  if (std::ssize(from.over) == model.types) kinds.push_back(RowMap::Kind::kPort);
  if (one_root) kinds.insert(kinds.end(), {RowMap::Kind::kRoot, RowMap::Kind::kStart});
  feed.rows = kinds[numbers.below(static_cast<int>(kinds.size()))];
  return feed;
}

void draw_network(Numbers& numbers, LawModel& model, Family family) {
  model.network = true;
  std::vector<int> all(model.types);
  std::iota(all.begin(), all.end(), 0);
  for (int i = 0, count = 1 + numbers.below(4); i < count; ++i) {
    LawFunction f{.over = all, .reverse = numbers.below(3) == 0};
    const bool recurrent = i == 0 || numbers.below(2) == 0;
    if (!recurrent) f.slots = 0;
    if (recurrent && family <= Family::kChain && numbers.below(2) == 0) f.slots = 1;
    if (!recurrent && model.types > 1 && numbers.below(2) == 0) f.over = {numbers.below(model.types)};
    model.functions.push_back(f);
    for (int n = i == 0 ? 0 : 1 + numbers.below(2); n > 0; --n) {
      const Feed feed = draw_feed(numbers, model, family, i);
      LawFunction& to = model.functions.back();
      if (feed.rows == RowMap::Kind::kAll && has_edges(to)) continue;
      to.feeds.push_back(feed);
    }
  }
}

}  // namespace

std::string type_name(int type) { return "type" + std::to_string(type); }

std::string function_name(const LawModel& model, std::size_t function) {
  return model.network ? "f" + std::to_string(function) : type_name(static_cast<int>(function));
}

std::string feed_port(const LawFunction& function, std::size_t feed) {
  if (function.feeds[feed].rows == RowMap::Kind::kAll) return "all";
  int number = 0;
  for (std::size_t i = 0; i < feed; ++i) number += function.feeds[i].rows != RowMap::Kind::kAll ? 1 : 0;
  return "in" + std::to_string(number);
}

std::size_t prelude_size(const LawFunction& function) { return prelude_of(function).size(); }

LawModel draw_model(Numbers& numbers, Family family, int size) {
  LawModel model{.seed = 1 + static_cast<std::uint64_t>(numbers.below(1000))};
  constexpr int kWidths[] = {6, 6, 16, 20, 34};
  model.width = kWidths[numbers.below(5)];
  model.types = 1 + numbers.below(3);
  if (numbers.below(3) == 0)
    draw_network(numbers, model, family);
  else
    draw_plain(numbers, model);
  draw_bodies(numbers, model, size);
  return model;
}

std::vector<Statement> statements(const LawModel&, const LawFunction& function) {
  std::vector<Statement> all;
  std::vector<char> edges;
  for (const Prelude part : prelude_of(function)) {
    all.push_back({.op = &prelude(part)});
    edges.push_back(prelude(part).rows == Rows::kEdges ? 1 : 0);
  }
  static const Operator& kInstead = *std::ranges::find(all_operators(), "tanh(x)", &Operator::text);
  for (const Line& line : function.lines) {
    const Operator* op = &all_operators()[line.what];
    const bool needs_edges = op->rows == Rows::kEdgeToVertex || op->rows == Rows::kEdgeToEdge;
    if (needs_edges && edges[line.x] == 0) op = &kInstead;  // a removed line returned edges
    const bool sums = op->rows == Rows::kVertexOnly, has_x = uses(*op, 'x'), has_y = uses(*op, 'y');
    const bool x_edges = has_x && edges[line.x] != 0, y_edges = has_y && edges[line.y] != 0;
    all.push_back({.op = op, .x = {has_x ? line.x : -1, sums && x_edges}, .y = {has_y ? line.y : -1, sums && y_edges}});
    const bool gives_edges =
        op->rows == Rows::kEdges || op->rows == Rows::kEdgeToEdge || (op->rows == Rows::kAny && (x_edges || y_edges));
    edges.push_back(gives_edges ? 1 : 0);
  }
  for (const Line& line : function.sinks)
    all.push_back({.sink = &all_sinks()[line.what], .x = {line.x, edges[line.x] != 0}});
  return all;
}

Model declare(const LawModel& law) {
  Model model({.seed = law.seed});
  const int d = law.width;
  model.parameter("W0", {d, d});  // groups of parameters need one
  for (std::size_t i = 0; i < law.functions.size(); ++i) {
    const LawFunction& f = law.functions[i];
    const auto body = [&](Vertex& v) {
      std::vector<Value> values;
      const auto value = [&](const Operand& operand) {
        if (operand.value < 0) return Value();
        return operand.is_summed ? sum(values[operand.value]) : values[operand.value];
      };
      for (const Statement& s : statements(law, f))
        if (s.sink != nullptr)
          s.sink->apply(model, v, d, f.first, value(s.x));
        else
          values.push_back(s.op->make(model, v, d, f.first, value(s.x), value(s.y)));
    };
    if (!law.network) {
      model.vertex_function(function_name(law, i), body);
      continue;
    }
    std::vector<std::string> over;
    for (const int type : f.over) over.push_back(type_name(type));
    model.vertex_function(function_name(law, i), body, {.over = over, .reverse = f.reverse});
  }
  for (std::size_t i = 0; i < law.functions.size(); ++i)
    for (std::size_t k = 0; k < law.functions[i].feeds.size(); ++k) {
      const Feed& feed = law.functions[i].feeds[k];
      const RowMap rows{feed.rows, feed.rows == RowMap::Kind::kPort ? "at" : ""};
      model.connect({function_name(law, feed.from), "link"}, {function_name(law, i), feed_port(law.functions[i], k)},
                    rows);
    }
  return model;
}

namespace {

/// Removes value `gone`. Its readers read the earlier value `instead`.
void rename(LawFunction& f, int gone, int instead) {
  const auto renamed = [&](int value) { return value == gone ? instead : value > gone ? value - 1 : value; };
  for (auto* lines : {&f.lines, &f.sinks})
    for (Line& line : *lines) {
      line.x = renamed(line.x);
      line.y = renamed(line.y);
    }
}

}  // namespace

LawFunction without_line(const LawFunction& function, std::size_t line) {
  LawFunction f = function;
  const int gone = static_cast<int>(prelude_size(f) + line), instead = f.lines[line].x;
  f.lines.erase(f.lines.begin() + static_cast<std::ptrdiff_t>(line));
  rename(f, gone, instead);
  return f;
}

LawFunction without_feed(const LawFunction& function, std::size_t feed) {
  LawFunction f = function;
  const int gone = static_cast<int>(prelude_size(f) - f.feeds.size() + feed);
  f.feeds.erase(f.feeds.begin() + static_cast<std::ptrdiff_t>(feed));
  rename(f, gone, 0);
  return f;
}

LawModel without_function(const LawModel& model, std::size_t function) {
  LawModel m = model;
  m.functions.erase(m.functions.begin() + static_cast<std::ptrdiff_t>(function));
  if (!m.network) --m.types;
  for (LawFunction& f : m.functions) {
    for (std::size_t k = f.feeds.size(); k-- > 0;)
      if (f.feeds[k].from == static_cast<int>(function)) f = without_feed(f, k);
    for (Feed& feed : f.feeds) feed.from -= feed.from > static_cast<int>(function) ? 1 : 0;
  }
  return m;
}

}  // namespace cavs::law
