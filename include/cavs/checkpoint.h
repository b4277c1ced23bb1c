#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/distributed.h"
#include "cavs/graph.h"
#include "cavs/optimizer.h"
#include "cavs/parameters.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// The part of a checkpoint that describes how the training data were read, to read other data likewise (data_record).
struct DataRecord {
  std::string spec = {};                // argument of load_data; empty means unknown
  std::vector<std::string> words = {};  // the vocabulary, in order of ids; empty if the data have ids instead of words
  // The schema of the graphs in the data, before a graph builder changes them. If absent, trained_model() derives it.
  std::optional<GraphSchema> schema = std::nullopt;
  std::string graph_builder = {};  // this field and those up to port_words are as in Dataset
  std::vector<std::string> class_names = {};
  std::string tag_scheme = {};
  EdgeNames edge_names = {};
  std::map<std::string, std::vector<std::string>> port_words = {};
  // The lexicon's words, for data that are lattices; absent if there is none, or if it exceeds kMaxLexiconBytes.
  std::optional<std::string> lexicon = std::nullopt;
  bool operator==(const DataRecord&) const = default;
};

/// The largest lexicon that checkpoints contain. Larger ones are left out, because every save writes the lexicon again.
inline constexpr std::size_t kMaxLexiconBytes = std::size_t{16} << 20;

/// The part of a checkpoint that is not the state of training.
struct TrainingRecord {
  DataRecord data;
  std::map<std::string, std::vector<double>> metrics;  // by metric name: its value in each epoch; may be NaN
  std::map<std::string, std::string> extra;            // the caller's own texts, by the caller's keys
  bool operator==(const TrainingRecord&) const = default;
};

/// Everything that training needs to resume as if uninterrupted, as plain values. A checkpoint contains no time, no
/// host name, and no path except those in `data`, so equal states give identical files.
struct Checkpoint : TrainingRecord {
  struct Tensor {
    std::string name;
    Shape shape;
    std::vector<float> values;  // row-major
    bool operator==(const Tensor&) const = default;
  };
  struct OptimizerState {
    OptimizerOptions options;
    std::int64_t steps = 0;                            // Optimizer::steps
    double rate_factor = 1;                            // Optimizer::rate_factor
    std::map<std::string, std::vector<Tensor>> slots;  // by Optimizer::slot_name; one tensor per parameter
    bool operator==(const OptimizerState&) const = default;
  };
  /// The position of training: `sample` samples of epoch `epoch` are done, in the order that seed and epoch determine.
  struct Position {
    std::int64_t epoch = 0;   // from 0
    std::int64_t sample = 0;  // number of samples done in this epoch
    std::int64_t step = 0;    // number of steps done since the start of training
    bool operator==(const Position&) const = default;
  };

  /// Moving averages of the parameters.
  struct Averages {
    double decay = 0;  // TrainOptions::ema
    std::vector<Tensor> values;
    bool operator==(const Averages&) const = default;
  };

  std::vector<Tensor> parameters;           // sorted by name, like the tensors of averages and slots
  std::optional<Averages> averages;         // absent if trained without averages
  std::optional<OptimizerState> optimizer;  // absent if saved for prediction only
  std::uint64_t seed = 0;  // random numbers are functions of seed and position, so there is no other random state
  Position position;
  std::string model;  // text of Model::to_json
  bool operator==(const Checkpoint&) const = default;
};

/// Copies the values of the parameters, and the optimiser's state if `optimizer` is not null, to the checkpoint.
/// @throws UserError if the optimiser was made for other parameters.
void capture(const Parameters& parameters, const Optimizer* optimizer, Checkpoint& checkpoint);

/// Copies the values in the checkpoint to the parameters, and its optimiser state to `optimizer` if that is not null.
/// Touches every parameter (Parameters::touch).
/// @throws UserError that lists every parameter or slot that is missing, duplicate, unknown or of another shape, and
/// every option of the optimiser that differs. @throws UserError also for a value that is not finite (find_not_finite),
/// and if the optimiser was made for other parameters. Nothing has then changed.
void restore(const Checkpoint& checkpoint, Parameters& parameters, Optimizer* optimizer);

/// Copies the checkpoint's averages (or its parameters, if it has no averages) to the parameters.
/// @throws UserError as restore() does.
void restore_averages(const Checkpoint& checkpoint, Parameters& parameters);

/// Describes the first value of parameters, averages or optimiser state that is not finite, for example "parameter 'W'
/// [4, 16] is nan at number 17". Returns an empty text if all values are finite.
std::string find_not_finite(const Checkpoint& checkpoint);

/// Saves atomically, as one safetensors file with tensors "parameters/NAME", "averages/NAME",
/// "optimizer/KIND/SLOT/NAME" and "metrics/NAME" (F64), and all else as texts in the metadata
/// (docs/reference/checkpoint-format.md). A crash at any moment leaves the previous file intact.
/// @throws UserError if the file cannot be written, a text is not valid UTF-8, or a tensor is duplicate or has another
/// number of values than its shape.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Reads a checkpoint. @throws UserError if the file is missing, truncated, altered in any bit, not a checkpoint, or of
/// a newer version.
Checkpoint load_checkpoint(const std::string& path);
/// Reads a checkpoint on rank 0 and sends it to all other ranks, which need no access to the file.
Checkpoint load_checkpoint(const std::string& path, Job& job);

/// Returns the options as the JSON object that checkpoints contain.
std::string to_json(const OptimizerOptions& options);

/// All options and data that the results of training depend on, as texts by name, to be compared at a resume.
using RecordedOptions = std::map<std::string, std::string>;

/// Stores the options under the key `key` of `record.extra`.
void keep_options(const RecordedOptions& options, const std::string& key, TrainingRecord& record);

/// The options stored by keep_options() under `key`; absent if there are none. @throws UserError if they are not
/// readable.
/// @param path  Path of the checkpoint, for messages.
std::optional<RecordedOptions> kept_options(const TrainingRecord& record, const std::string& key,
                                            const std::string& path);

/// An option that only earlier versions have. If its value was `neutral`, their results equal those of this version.
struct RemovedOption {
  std::string_view name, neutral;
};

/// Returns one line for each option that differs between `kept` (of the checkpoint) and `here` (of this run), or that
/// only one of the two has; an empty text if nothing differs. A removed option with its neutral value is no difference.
std::string describe_differences(const RecordedOptions& kept, const RecordedOptions& here,
                                 std::span<const RemovedOption> removed);

/// Translates a saved, comma-separated list of disabled passes to the names of this version. Omits passes that this
/// version does not have and that never affected results.
std::string current_passes(const std::string& kept);

}  // namespace v0_1
}  // namespace cavs
