#include "cli/epoch_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace cavs::cli {
namespace {

struct Column {
  const char* title;
  int width;
  std::string text;
};

/// Returns a value with `decimals` decimals, or with three significant digits if it is 10,000 or more.
std::string number(double value, int decimals) {
  return value < 1e4 ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.3g}", value);
}
std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::string shown(const MetricColumn& column, double value) {
  if (std::isnan(value)) return "-";
  return column.share ? percent(value) : number(value, column.decimals);
}

std::vector<Column> columns(const EpochReport& r, Metric metric) {
  const auto dev = [&](auto text) { return r.dev ? text(*r.dev) : std::string("-"); };
  const std::string dev_loss = dev([](const Evaluation& e) { return number(e.loss, 4); });
  std::vector<Column> row{{"epoch", 5, fmt::format("{}", r.epoch)}, {"train loss", 10, number(r.train_loss, 4)}};
  if (metric == Metric::kPerplexity) row.push_back({"perplexity", 10, number(r.train_perplexity, 2)});
  row.push_back({"dev loss", 8, dev_loss});
  for (const MetricColumn& column : metric_info(metric).columns)
    row.push_back({column.title, std::max(8, static_cast<int>(std::string_view(column.title).size())),
                   dev([&](const Evaluation& e) { return shown(column, e.*column.value); })});
  row.push_back({"samples/s", 9, fmt::format("{:.0f}", r.samples_per_second)});
  row.push_back({"seconds", 7, fmt::format("{:.2f}", r.seconds)});
  return row;
}

}  // namespace

void EpochTable::add(const EpochReport& report) {
  if (out_ == nullptr) return;
  std::string titles, line;
  for (const Column& column : columns(report, metric_)) {
    const char* gap = line.empty() ? "" : "  ";
    titles += fmt::format("{}{:>{}}", gap, column.title, column.width);
    line += fmt::format("{}{:>{}}", gap, column.text, column.width);
  }
  if (!begun_) fmt::print(out_, "{}\n", titles);
  begun_ = true;
  fmt::print(out_, "{}\n", line);
  std::fflush(out_);
}

Json to_json(const EpochReport& r, Metric metric) {
  Json json{{"epoch", r.epoch}, {"train_loss", r.train_loss}};
  if (metric == Metric::kPerplexity) json["train_perplexity"] = r.train_perplexity;
  if (r.dev) {
    json["dev_loss"] = r.dev->loss;
    for (const MetricColumn& column : metric_info(metric).columns)
      json[std::string("dev_") + column.name] = (*r.dev).*column.value;
  }
  json["best"] = r.best;
  json.update(
      Json{{"learning_rate", r.learning_rate}, {"samples_per_second", r.samples_per_second}, {"seconds", r.seconds}});
  return json;
}

std::vector<double> dev_history(const TrainingRecord& record, const MetricColumn& column) {
  const auto found = record.metrics.find(std::string("dev_") + column.name);
  return found == record.metrics.end() ? std::vector<double>() : found->second;
}

std::string long_title(const MetricColumn& column) {
  return column.value == &Evaluation::root_accuracy ? "accuracy at the root" : column.title;
}

std::string describe_result(const MetricColumn& column, double value) {
  return column.value == &Evaluation::root_accuracy ? fmt::format("{} at the root", percent(value))
                                                    : fmt::format("{} {}", column.title, shown(column, value));
}

}  // namespace cavs::cli
