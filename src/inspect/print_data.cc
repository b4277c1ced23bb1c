#include "inspect/print_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "support/table.h"

namespace cavs {
namespace {

constexpr std::size_t kClasses = 20;

using Rows = std::vector<std::vector<std::string>>;
using Cell = std::function<std::string(const PartSummary&)>;

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

std::string shown(const Spread& spread) {
  return fmt::format("{} to {}, median {:g}, mean {:.2f}", spread.min, spread.max, spread.median, spread.mean);
}

class Table {
 public:
  explicit Table(const DataSummary& summary) : summary_(summary) {}

  void add(const std::string& name, const Cell& cell) {
    rows_.push_back({name, cell(summary_.train)});
    if (summary_.dev) rows_.back().push_back(cell(*summary_.dev));
  }
  const Rows& rows() const { return rows_; }

 private:
  const DataSummary& summary_;
  Rows rows_;
};

void add_sizes(Table& table) {
  table.add("samples", [](const PartSummary& p) { return fmt::format("{}", p.samples); });
  table.add("vertices", [](const PartSummary& p) { return fmt::format("{}", p.vertices); });
  table.add("  a sample", [](const PartSummary& p) { return shown(p.sizes); });
  table.add("edges", [](const PartSummary& p) { return fmt::format("{}", p.edges); });
  table.add("roots", [](const PartSummary& p) { return fmt::format("{}", p.roots); });
  table.add("depth", [](const PartSummary& p) { return shown(p.depths); });
  table.add("children", [](const PartSummary& p) { return shown(p.arities); });
}

void add_ports(const DataSummary& summary, Table& table) {
  for (std::size_t t = 0; t < summary.schema.types.size(); ++t)
    table.add("type " + summary.schema.types[t], [t](const PartSummary& p) { return fmt::format("{}", p.types[t]); });
  for (std::size_t i = 0; i < summary.train.ports.size(); ++i) {
    const PortSummary& port = summary.train.ports[i];
    const std::string width = port.width > 0 ? fmt::format(" [{}]", port.width) : "";
    table.add("port " + port.name + width, [i](const PartSummary& p) {
      const PortSummary& at = p.ports[i];
      const std::string known =
          at.vocabulary > 0 ? fmt::format(", {} of them unknown, of {} words", at.unknown, at.vocabulary) : "";
      return fmt::format("at {} {} ({}){}", at.present, at.of_edges ? "edges" : "vertices",
                         percent(at.present, at.of_edges ? p.edges : p.vertices), known);
    });
  }
}

void add_words(const DataSummary& summary, Table& table) {
  if (summary.vocabulary == 0) return;
  table.add("known words", [](const PartSummary& p) {
    return fmt::format("{} of {} ({})", p.words - p.unknown_words, p.words,
                       percent(p.words - p.unknown_words, p.words));
  });
}

std::string classes_to_text(const DataSummary& summary) {
  std::vector<std::size_t> order(summary.classes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t c) { return summary.train.labels[c]; });
  const std::size_t left = order.size() - std::min(order.size(), kClasses);
  order.resize(order.size() - left);
  Rows rows{{"class", "train", "", summary.dev ? "dev" : ""}};
  for (const std::size_t c : order) {
    rows.push_back({summary.classes[c]});
    for (const PartSummary* part : {&summary.train, summary.dev ? &*summary.dev : nullptr})
      if (part != nullptr) {
        rows.back().push_back(fmt::format("{}", part->labels[c]));
        rows.back().push_back(percent(part->labels[c], part->labelled));
      }
  }
  return align_columns(rows) + (left > 0 ? fmt::format("and {} more classes\n", left) : "");
}

}  // namespace

std::string to_text(const DataSummary& summary) {
  Table table(summary);
  add_sizes(table);
  add_ports(summary, table);
  add_words(summary, table);
  Rows rows{{"", "train", summary.dev ? "dev" : ""}};
  rows.insert(rows.end(), table.rows().begin(), table.rows().end());
  std::string text = align_columns(rows);
  if (summary.vocabulary > 0) text += fmt::format("vocabulary: {} words, <unk> among them\n", summary.vocabulary);
  if (!summary.classes.empty()) text += "\n" + classes_to_text(summary);
  if (!summary.oddities.empty()) text += "\nworth a look:\n";
  for (const Oddity& oddity : summary.oddities) text += "- " + oddity.text + "\n";
  return text;
}

}  // namespace cavs
