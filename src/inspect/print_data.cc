#include "inspect/print_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "support/table.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::size_t kClasses = 20;

using TableRows = std::vector<std::vector<std::string>>;

std::string percent(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole)) : "-";
}

std::string shown(const Spread& spread) {
  return fmt::format("{} to {}, median {:g}, mean {:.2f}", spread.min, spread.max, spread.median, spread.mean);
}

/// A row of the table: its name, and a function that returns its text for a part of the data.
using Line = std::pair<std::string, std::function<std::string(const PartSummary&)>>;

std::vector<Line> lines_of_sizes() {
  return {{"samples", [](const PartSummary& p) { return fmt::format("{}", p.samples); }},
          {"vertices", [](const PartSummary& p) { return fmt::format("{}", p.vertices); }},
          {"  per sample", [](const PartSummary& p) { return shown(p.sizes); }},
          {"edges", [](const PartSummary& p) { return fmt::format("{}", p.edges); }},
          {"roots", [](const PartSummary& p) { return fmt::format("{}", p.roots); }},
          {"depth", [](const PartSummary& p) { return shown(p.depths); }},
          {"children", [](const PartSummary& p) { return shown(p.arities); }}};
}

void add_ports(const DataSummary& summary, std::vector<Line>& lines) {
  for (std::size_t t = 0; t < summary.schema.types.size(); ++t)
    lines.emplace_back("type " + summary.schema.types[t],
                       [t](const PartSummary& p) { return fmt::format("{}", p.types[t]); });
  for (std::size_t i = 0; i < summary.train.ports.size(); ++i) {
    const PortSummary& port = summary.train.ports[i];
    const std::string width = port.width > 0 ? fmt::format(" [{}]", port.width) : "";
    lines.emplace_back("port " + port.name + width, [i](const PartSummary& p) {
      const PortSummary& at = p.ports[i];
      const std::string known =
          at.vocabulary > 0 ? fmt::format(", {} of them unknown, vocabulary of {} words", at.unknown, at.vocabulary)
                            : "";
      return fmt::format("at {} {} ({}){}", at.present, at.of_edges ? "edges" : "vertices",
                         percent(at.present, at.of_edges ? p.edges : p.vertices), known);
    });
  }
}

void add_words(const DataSummary& summary, std::vector<Line>& lines) {
  if (summary.vocabulary == 0) return;
  lines.emplace_back("known words", [](const PartSummary& p) {
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
  TableRows rows{{"class", "train", "", summary.dev ? "dev" : ""}};
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
  std::vector<Line> lines = lines_of_sizes();
  add_ports(summary, lines);
  add_words(summary, lines);
  TableRows rows{{"", "train", summary.dev ? "dev" : ""}};
  for (const auto& [name, cell] : lines) {
    rows.push_back({name, cell(summary.train)});
    if (summary.dev) rows.back().push_back(cell(*summary.dev));
  }
  std::string text = align_columns(rows);
  if (summary.vocabulary > 0) text += fmt::format("vocabulary: {} words, including <unk>\n", summary.vocabulary);
  if (!summary.classes.empty()) text += fmt::format("\n{}", classes_to_text(summary));
  if (!summary.oddities.empty()) text += "\nworth a look:\n";
  for (const Oddity& oddity : summary.oddities) text += "- " + oddity.text + "\n";
  return text;
}

}  // namespace cavs::inline v0_1
