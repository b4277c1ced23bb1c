// Compares the number of tasks of every policy with the lower bound, for several models: a table (Markdown) and a chart
// (ED-Batch, Figure 7).
//
//   policy_chart OUT.svg MODEL=DATA...
//
// The minibatch has the first 64 samples; `fsm` learns on samples drawn from all data. DATA is as in `cavs --data`.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <numeric>

#include "cavs/data.h"
#include "cavs/inspect.h"
#include "cavs/models.h"
#include "cavs/trainer.h"
#include "measure/bar_chart.h"
#include "measure/compare_policies.h"

namespace {

using namespace cavs;

constexpr int kSamples = 64;

struct Row {
  std::string model;
  std::int64_t lower_bound = 0;
  std::vector<PolicyFigures> policies;
};

Row measure(const std::string& name, const std::string& spec) {
  const ZooModel& zoo = find_model(name);
  const Model network = zoo.make({.ed_batch = true});
  const Dataset data = load_data(spec, {.steps = zoo.steps,
                                        .spelled_below = zoo.spelled_below,
                                        .graph_builder = zoo.graph_builder,
                                        .network = &network});
  const auto program = compile(zoo.make({.vocabulary = data.rows("word"), .classes = data.classes, .ed_batch = true}),
                               {.pushes = std::vector<std::string>()});
  const auto bound = bind_graphs(program, data.train);
  std::vector<std::int32_t> samples(std::min(data.train.size(), kSamples));
  std::iota(samples.begin(), samples.end(), 0);
  return {name, inspect::ScheduledBatch(program, bound, samples).lower_bound(),
          compare_policies(name, program, bound, samples, {})};
}

std::string name_of(const PolicyFigures& f) { return f.encoding.empty() ? f.policy : f.policy + " " + f.encoding; }

void print_table(const std::vector<Row>& rows) {
  fmt::print("| model | bound |");
  for (const PolicyFigures& f : rows.front().policies) fmt::print(" {} |", name_of(f));
  fmt::print(" over bound | learned in, s |\n|");
  for (std::size_t i = 0; i < rows.front().policies.size() + 4; ++i) fmt::print(" --- |");
  for (const Row& row : rows) {
    fmt::print("\n| `{}` | {} |", row.model, row.lower_bound);
    for (const PolicyFigures& f : row.policies) fmt::print(" {} |", f.tasks);
    const PolicyFigures& best = *std::ranges::find(row.policies, "fsm sort", name_of);
    fmt::print(" {:.1f} % | {:.3f} |",
               100.0 * static_cast<double>(best.tasks - row.lower_bound) / static_cast<double>(row.lower_bound),
               best.learn_seconds);
  }
  fmt::print("\n");
}

/// A chart of the policies in the paper's figure, and `ratio`; `fsm` has its default encoding.
BarChart chart_of(const std::vector<Row>& rows) {
  BarChart chart{.title = "Tasks of a minibatch of 64 samples, in relation to the lower bound",
                 .group_label = "model",
                 .reference = 1};
  BarChart::Panel& panel = chart.panels.emplace_back();
  for (const Row& row : rows) {
    chart.groups.push_back(row.model);
    panel.notes.push_back(fmt::format("bound {}", row.lower_bound));
  }
  for (const char* policy : {"frontier", "agenda", "ratio", "fsm sort"}) {
    chart.series.emplace_back(policy == std::string_view("fsm sort") ? "fsm" : policy);
    auto& values = panel.values.emplace_back();
    for (const Row& row : rows) {
      const auto found = std::ranges::find(row.policies, policy, name_of);
      values.push_back(static_cast<double>(found->tasks) / static_cast<double>(row.lower_bound));
    }
  }
  return chart;
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<Row> rows;
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto equals = argument.find('=');
    if (equals != std::string::npos) rows.push_back(measure(argument.substr(0, equals), argument.substr(equals + 1)));
  }
  if (rows.empty() || std::ssize(rows) != argc - 2) {
    std::cerr << "usage: policy_chart OUT.svg MODEL=DATA...\n";
    return 2;
  }
  print_table(rows);
  std::ofstream out(argv[1]);
  out << to_svg(chart_of(rows));
  if (!out.flush()) {
    std::cerr << "policy_chart: cannot write " << argv[1] << "\n";
    return 1;
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << "policy_chart: " << error.what() << "\n";
  return 1;
}
