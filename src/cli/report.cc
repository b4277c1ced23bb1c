#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "cavs/error.h"
#include "cavs/evaluator.h"
#include "cavs/files.h"
#include "support/check.h"

namespace cavs::cli {

void print_json(const Json& json) { fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace)); }

std::string describe(const GraphSet& graphs) {
  return fmt::format("{} samples, {} vertices", graphs.size(), graphs.vertices());
}

std::int64_t count_numbers(const Parameters& parameters) {
  std::int64_t count = 0;
  for (int p = 0; p < parameters.size(); ++p) count += parameters.info(p).shape.size();
  return count;
}

Metric metric_for(const ZooModel& model, std::string_view tag_scheme) {
  return model.metric == Metric::kF1 && tag_scheme == "none" ? Metric::kAccuracy : model.metric;
}

Json to_json(const Evaluation& e, Metric metric) {
  Json json{{"samples", e.samples}, {"labels", e.labels}};
  if (metric == Metric::kAccuracy) json["roots"] = e.roots;
  json["loss"] = e.loss;
  for (const MetricColumn& column : metric_info(metric).columns) json[column.name] = e.*column.value;
  json["seconds"] = e.seconds;
  return json;
}

const ZooModel* zoo_model_of(const Checkpoint& checkpoint) {
  const auto name = checkpoint.extra.find(kZooModelKey);
  if (name == checkpoint.extra.end()) return nullptr;
  const auto models = all_models();
  const auto found = std::ranges::find(models, name->second, &ZooModel::name);
  return found == models.end() ? nullptr : &*found;
}

void write_file(const std::string& option, const std::string& path, const std::string& text) {
  const std::array parts{std::as_bytes(std::span(text))};
  try {
    write_file_atomically(path, parts);
  } catch (const UserError& error) {
    user_error("{} {}", option, error.what());
  }
}

}  // namespace cavs::cli
