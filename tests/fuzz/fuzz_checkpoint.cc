#include <charconv>
#include <list>
#include <nlohmann/json.hpp>

#include "cavs/checkpoint.h"
#include "cavs/optimizer.h"
#include "cavs/trained_model.h"
#include "fuzz/fuzz_check.h"
#include "train/checkpoint_file.h"

namespace cavs {
namespace {

constexpr std::int64_t kMostMemory = 1 << 26;  // limit of a run, because a short file may declare a huge model
constexpr std::size_t kMostNumbers = 4096;     // in all tensors, as many as fit into a file of 16 KiB

/// A checkpoint with a valid container. Target safetensors tests invalid containers.
struct CheckpointFile {
  Safetensors file;
  std::list<std::vector<float>> values;
  std::map<std::string, std::string> extra;
};

/// Adds the tensor of a line "NAME 3 4" or "NAME 3 4 F64". All its elements are small and not zero.
void add_tensor_line(std::string_view line, CheckpointFile& to) {
  FileTensor tensor{std::string(take_part(line, ' ')), "F32", {}, {}};
  std::size_t size = 1;
  while (!line.empty()) {
    const std::string_view part = take_part(line, ' ');
    std::int64_t dim = 0;
    const auto end = std::from_chars(part.data(), part.data() + part.size(), dim).ptr;
    if (end != part.data() + part.size() || dim < 0) {
      tensor.dtype = std::string(part);
      continue;
    }
    tensor.shape.push_back(dim);
    if (__builtin_mul_overflow(size, static_cast<std::size_t>(dim), &size) || size > kMostNumbers) return;
  }
  if (dtype_size(tensor.dtype) == 0) return;
  to.values.emplace_back(2 * size, 0.0625F);
  tensor.data = std::as_bytes(std::span(to.values.back())).first(size * dtype_size(tensor.dtype));
  to.file.tensors.push_back(std::move(tensor));
}

/// Reads lines "tensor NAME DIM...", "extra KEY TEXT" and "KEY TEXT".
CheckpointFile checkpoint_file(std::string_view text) {
  CheckpointFile to;
  to.file.where = "fuzz";
  to.file.metadata = {{"format", "cavs-checkpoint"}, {"format_version", "1"}, {"content_hash", "0"}};
  while (!text.empty()) {
    std::string_view line = take_part(text, '\n');
    const std::string key(take_part(line, ' '));
    if (key == "tensor") {
      add_tensor_line(line, to);
    } else if (key == "extra") {
      const std::string name(take_part(line, ' '));
      to.extra[name] = line;
    } else {
      to.file.metadata[key] = line;
    }
  }
  to.file.metadata["extra"] = nlohmann::json(to.extra).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return to;
}

/// Restores the state of training.
void resume(const Checkpoint& checkpoint, const Model& model) {
  if (!checkpoint.optimizer) return;
  const auto parameters = model.make_parameters();
  Optimizer optimizer(checkpoint.optimizer->options, *parameters);
  restore(checkpoint, *parameters, &optimizer);
  expect(optimizer.steps() == checkpoint.optimizer->steps, "training goes on where it was");
}

}  // namespace
}  // namespace cavs

/// Input: the entries of a checkpoint, one per line; then a form feed and samples for the model.
CAVS_FUZZ_TARGET(checkpoint) {
  const std::string_view entries = take_part(bytes, '\f');
  if (find_invalid_utf8(entries) != entries.npos) return;  // a parsed checkpoint is valid UTF-8, as its JSON is
  const CheckpointFile parts = checkpoint_file(entries);
  const Checkpoint checkpoint = checkpoint_from(parts.file);
  for (const auto& entry : checkpoint.extra)
    check_input([&](std::string_view key) { kept_options(checkpoint, std::string(key), "fuzz"); }, entry.first);
  TrainedModel trained = trained_model(checkpoint);
  if (checkpoint.averages) check_input([&](std::string_view) { trained_model(checkpoint, false); }, {});
  check_input([&](std::string_view) { resume(checkpoint, trained.model); }, {});
  if (trained.data.starts_with("weibo:")) return;  // reads files from disk
  TextPredictor(std::move(trained), {.memory_limit = kMostMemory}).run(bytes);
}
