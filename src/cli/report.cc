#include "cli/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/check.h"
#include "train/metric_columns.h"

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

void check_writable(const std::string& option, const std::string& path) {
  if (path.empty()) return;
  namespace fs = std::filesystem;
  std::error_code ignored;
  user_check(!fs::is_directory(path, ignored), "{} {}: this is a directory; expected a file", option, path);
  user_check(!fs::exists(path, ignored) || fs::is_regular_file(path, ignored),
             "{} {}: this is a device or a pipe; expected a file", option, path);
  const fs::path given = fs::path(path).parent_path();
  const fs::path folder = given.empty() ? "." : given;
  user_check(fs::is_directory(folder, ignored), "{} {}: the directory {} does not exist; make it first", option, path,
             folder.string());
  user_check(access(folder.c_str(), W_OK) == 0, "{} {}: the directory {} is not writable", option, path,
             folder.string());
}

void write_file(const std::string& option, const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  user_check(!file.fail(), "{} {}: the file cannot be written", option, path);
}

}  // namespace cavs::cli
