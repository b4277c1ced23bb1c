#include "train/checkpoint_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "support/check.h"
#include "support/json_check.h"
#include "train/checkpoint_json.h"
#include "train/data_record.h"

namespace cavs::inline v0_1 {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kFormat = "cavs-checkpoint";
constexpr int kVersion = 1;
constexpr int kTextDepth = 4;  // deepest nesting of JSON in the metadata
constexpr std::string_view kParameterPrefix = "parameters/", kAveragePrefix = "averages/",
                           kOptimizerPrefix = "optimizer/", kMetricPrefix = "metrics/";

// ---- saving ----

FileTensor to_file(std::string name, const Checkpoint::Tensor& tensor) {
  user_check(tensor.shape.size() == std::ssize(tensor.values), "cannot save tensor '{}': {} has {} numbers, found {}",
             name, to_string(tensor.shape), tensor.shape.size(), tensor.values.size());
  return {std::move(name),
          "F32",
          {tensor.shape.dims.begin(), tensor.shape.dims.end()},
          std::as_bytes(std::span(tensor.values))};
}

std::string slot_prefix(const std::string& kind, const std::string& slot) {
  return fmt::format("{}{}/{}/", kOptimizerPrefix, kind, slot);
}

std::vector<FileTensor> file_tensors(const Checkpoint& checkpoint) {
  std::vector<FileTensor> tensors;
  for (const auto& tensor : checkpoint.parameters)
    tensors.push_back(to_file(std::string(kParameterPrefix) + tensor.name, tensor));
  if (checkpoint.averages)
    for (const auto& tensor : checkpoint.averages->values)
      tensors.push_back(to_file(std::string(kAveragePrefix) + tensor.name, tensor));
  if (checkpoint.optimizer)
    for (const auto& [slot, slot_tensors] : checkpoint.optimizer->slots)
      for (const auto& tensor : slot_tensors)
        tensors.push_back(to_file(slot_prefix(checkpoint.optimizer->options.kind, slot) + tensor.name, tensor));
  for (const auto& [name, values] : checkpoint.metrics)
    tensors.push_back({std::string(kMetricPrefix) + name,
                       "F64",
                       {static_cast<std::int64_t>(values.size())},
                       std::as_bytes(std::span(values))});
  std::set<std::string_view> names;
  for (const FileTensor& tensor : tensors)
    user_check(names.insert(tensor.name).second, "cannot save tensor '{}': duplicate name", tensor.name);
  return tensors;
}

/// Returns the texts of Checkpoint::extra and of the data record, which are saved in one entry, "extra".
std::map<std::string, std::string> extra_texts(const Checkpoint& checkpoint) {
  std::map<std::string, std::string> texts = texts_of(checkpoint.data);
  for (const auto& [name, text] : checkpoint.extra)
    user_check(texts.emplace(name, text).second,
               "cannot save the checkpoint: the name of its extra text '{}' is reserved for the record of the data",
               name);
  return texts;
}

std::map<std::string, std::string> file_texts(const Checkpoint& checkpoint) {
  std::map<std::string, std::string> texts{{"format", std::string(kFormat)},
                                           {"format_version", std::to_string(kVersion)},
                                           {"position", position_to_json(checkpoint).dump()},
                                           {"model", checkpoint.model},
                                           {"vocabulary", Json(checkpoint.data.words).dump()},
                                           {"data", checkpoint.data.spec},
                                           {"extra", Json(extra_texts(checkpoint)).dump()}};
  if (checkpoint.averages) texts["averages"] = Json{{"decay", checkpoint.averages->decay}}.dump();
  if (checkpoint.optimizer) {
    Json optimizer{{"options", options_to_json(checkpoint.optimizer->options)}, {"steps", checkpoint.optimizer->steps}};
    // Written only if it is not 1, so that files equal those of earlier versions.
    if (checkpoint.optimizer->rate_factor != 1) optimizer["rate_factor"] = checkpoint.optimizer->rate_factor;
    texts["optimizer"] = optimizer.dump();
  }
  return texts;
}

// ---- loading ----

const std::string& text_of(const Safetensors& file, const std::string& key) {
  const auto found = file.metadata.find(key);
  user_check(found != file.metadata.end(), "{}: the checkpoint has no entry '{}'", file.where, key);
  return found->second;
}

Json json_of(const Safetensors& file, const std::string& key) {
  return parse_json(text_of(file, key), kTextDepth, fmt::format("{}: entry '{}'", file.where, key));
}

void check_format(const Safetensors& file) {
  const auto format = file.metadata.find("format");
  user_check(format != file.metadata.end() && format->second == kFormat,
             "{}: a safetensors file, but not a checkpoint; expected a checkpoint of cavs, which has metadata "
             "\"format\": \"{}\"",
             file.where, kFormat);
  const std::string& version = text_of(file, "format_version");
  const bool is_number = !version.empty() && version.size() < 9 &&
                         std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; });
  user_check(is_number && std::stoi(version) >= 1, "{}: format_version is '{}'; expected a number from 1", file.where,
             version);
  user_check(std::stoi(version) <= kVersion,
             "{}: written by a newer cavs (checkpoint format {}; this one reads up to {}); update cavs to read it",
             file.where, version, kVersion);
  user_check(file.metadata.contains(std::string(kContentHashKey)),
             "{}: the checkpoint has no content hash, so it was altered after it was written; use another copy",
             file.where);
}

template <typename T>
std::vector<T> values_of(const FileTensor& tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

Checkpoint::Tensor from_file(const FileTensor& tensor, std::size_t prefix, const std::string& where) {
  user_check(tensor.dtype == "F32", "{}: tensor '{}' has type {}; expected F32", where, tensor.name, tensor.dtype);
  Checkpoint::Tensor result{tensor.name.substr(prefix), {}, values_of<float>(tensor)};
  for (const std::int64_t dim : tensor.shape) {
    user_check(dim <= std::numeric_limits<std::int32_t>::max(), "{}: tensor '{}' has a size of {}; too large", where,
               tensor.name, dim);
    result.shape.dims.push_back(static_cast<std::int32_t>(dim));
  }
  return result;
}

/// Adds a tensor named "optimizer/KIND/SLOT/NAME" to the optimiser's state. KIND and SLOT have no slashes.
void add_slot_tensor(const FileTensor& tensor, const std::string& where, Checkpoint& checkpoint) {
  user_check(checkpoint.optimizer.has_value(), "{}: tensor '{}', but no entry 'optimizer'", where, tensor.name);
  const std::string prefix = fmt::format("{}{}/", kOptimizerPrefix, checkpoint.optimizer->options.kind);
  const std::size_t slash = tensor.name.find('/', prefix.size());
  user_check(tensor.name.starts_with(prefix) && slash != tensor.name.npos, "{}: tensor '{}'; expected '{}SLOT/NAME'",
             where, tensor.name, prefix);
  const std::string slot = tensor.name.substr(prefix.size(), slash - prefix.size());
  checkpoint.optimizer->slots[slot].push_back(from_file(tensor, slash + 1, where));
}

void add_tensor(const FileTensor& tensor, const std::string& where, Checkpoint& checkpoint) {
  if (tensor.name.starts_with(kParameterPrefix)) {
    checkpoint.parameters.push_back(from_file(tensor, kParameterPrefix.size(), where));
  } else if (tensor.name.starts_with(kAveragePrefix)) {
    user_check(checkpoint.averages.has_value(), "{}: tensor '{}', but no entry 'averages'", where, tensor.name);
    checkpoint.averages->values.push_back(from_file(tensor, kAveragePrefix.size(), where));
  } else if (tensor.name.starts_with(kOptimizerPrefix)) {
    add_slot_tensor(tensor, where, checkpoint);
  } else if (tensor.name.starts_with(kMetricPrefix)) {
    user_check(tensor.dtype == "F64" && tensor.shape.size() == 1, "{}: tensor '{}'; expected a list of type F64", where,
               tensor.name);
    checkpoint.metrics[tensor.name.substr(kMetricPrefix.size())] = values_of<double>(tensor);
  } else {
    user_error("{}: tensor '{}' is not part of a checkpoint", where, tensor.name);
  }
}

Checkpoint::OptimizerState read_optimizer(const Safetensors& file) {
  const Json json = json_of(file, "optimizer");
  const std::string where = fmt::format("{}: entry 'optimizer'", file.where);
  JsonFields fields(json, where);
  Checkpoint::OptimizerState state{.options = options_from_json(fields.get("options"), where), .slots = {}};
  fields.read("steps", state.steps);
  if (json.contains("rate_factor")) fields.read("rate_factor", state.rate_factor);
  fields.finish();
  user_check(state.steps <= kMaxSteps && std::isfinite(state.rate_factor) && state.rate_factor >= 0,
             "{}: {} steps, rate_factor {}; expected at most {} steps and a factor from 0", where, state.steps,
             state.rate_factor, kMaxSteps);
  return state;
}

Checkpoint::Averages read_averages(const Safetensors& file) {
  const Json json = json_of(file, "averages");
  const std::string where = fmt::format("{}: entry 'averages'", file.where);
  Checkpoint::Averages averages;
  JsonFields fields(json, where);
  fields.read("decay", averages.decay);
  fields.finish();
  user_check(averages.decay > 0 && averages.decay < 1, "{}: the decay is {}; expected above 0 and below 1", where,
             averages.decay);
  return averages;
}

/// Reads a JSON list of texts, or a JSON object of texts. @param expected  The expected type, for the message.
template <typename Texts>
Texts read_texts(const Safetensors& file, const char* key, bool (Json::*is_of_kind)() const noexcept,
                 const char* expected) {
  const Json json = json_of(file, key);
  const bool good =
      (json.*is_of_kind)() && std::ranges::all_of(json, [](const Json& text) { return text.is_string(); });
  user_check(good, "{}: entry '{}': expected {} of texts", file.where, key, expected);
  return json.get<Texts>();
}

}  // namespace

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  std::map<std::string, std::string> texts;
  try {
    texts = file_texts(checkpoint);
  } catch (const Json::exception&) {
    user_error("{}: cannot save: a text of the checkpoint (words, extra) is not valid UTF-8; all texts must be", path);
  }
  write_safetensors(path, file_tensors(checkpoint), std::move(texts));
}

Checkpoint checkpoint_from(const Safetensors& file) {
  check_format(file);
  Checkpoint checkpoint;
  checkpoint.model = text_of(file, "model");
  checkpoint.data.spec = text_of(file, "data");
  checkpoint.data.words = read_texts<std::vector<std::string>>(file, "vocabulary", &Json::is_array, "a list");
  checkpoint.extra = read_texts<std::map<std::string, std::string>>(file, "extra", &Json::is_object, "an object");
  take_texts(checkpoint.extra, file.where, checkpoint.data);
  position_from_json(json_of(file, "position"), checkpoint, fmt::format("{}: entry 'position'", file.where));
  if (file.metadata.contains("optimizer")) checkpoint.optimizer = read_optimizer(file);
  if (file.metadata.contains("averages")) checkpoint.averages = read_averages(file);
  for (const FileTensor& tensor : file.tensors) add_tensor(tensor, file.where, checkpoint);
  return checkpoint;
}

Checkpoint load_checkpoint(const std::string& path) { return checkpoint_from(read_safetensors(path)); }

Checkpoint load_checkpoint(const std::string& path, Job& job) {
  std::vector<std::byte> bytes;
  job.guard([&] {
    if (job.rank() == 0) bytes = read_safetensors(path).bytes;
    bytes = job.share("the checkpoint to resume", bytes);
  });
  return checkpoint_from(parse_safetensors(std::move(bytes), path));
}

}  // namespace cavs::inline v0_1
