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

/// The part of a checkpoint that says how the training data were read, to read other data likewise (data_record).
struct DataRecord {
  std::string spec = {};                // argument of load_data; empty means unknown
  std::vector<std::string> words = {};  // the vocabulary, by id; empty means that words are given as ids
  // The schema of the graphs as read. If absent, trained_model derives it from the model.
  std::optional<GraphSchema> schema = std::nullopt;
  std::string graph_builder = {};  // this and the fields below: as in Dataset
  std::vector<std::string> tags = {};
  std::string tag_scheme = {};
  EdgeNames edge_names = {};
  std::map<std::string, std::vector<std::string>> port_words = {};
  // The words of the lexicon of lattices; absent if there is none or it is larger than kMaxLexiconBytes.
  std::optional<std::string> lexicon = std::nullopt;
  bool operator==(const DataRecord&) const = default;
};

/// Larger lexicons are not saved, because every save would write them again.
inline constexpr std::size_t kMaxLexiconBytes = std::size_t{16} << 20;

/// The part of a checkpoint besides the state of training.
struct TrainingRecord {
  DataRecord data;
  std::map<std::string, std::vector<double>> metrics;  // one value per epoch, saved bit for bit; may be NaN
  std::map<std::string, std::string> extra;            // additional texts of the caller
  bool operator==(const TrainingRecord&) const = default;
};

/// Everything that training needs to resume as if uninterrupted, as plain values. A checkpoint contains no time, no
/// host name, and no path except those in `data`, so equal states are saved as equal bytes.
struct Checkpoint : TrainingRecord {
  struct Tensor {
    std::string name;
    Shape shape;
    std::vector<float> values;  // row-major
    bool operator==(const Tensor&) const = default;
  };
  struct OptimizerState {
    OptimizerOptions options;
    std::int64_t steps = 0;
    double rate_factor = 1;                            // Optimizer::rate_factor
    std::map<std::string, std::vector<Tensor>> slots;  // by Optimizer::slot_name; one tensor per parameter
    bool operator==(const OptimizerState&) const = default;
  };
  /// The position of training: `sample` samples of `epoch` are done, in the order that seed and epoch determine.
  struct Position {
    std::int64_t epoch = 0;
    std::int64_t sample = 0;
    std::int64_t step = 0;  // number of steps since the start of training
    bool operator==(const Position&) const = default;
  };

  /// Moving averages of the parameters.
  struct Averages {
    double decay = 0;  // TrainOptions::ema
    std::vector<Tensor> values;
    bool operator==(const Averages&) const = default;
  };

  std::vector<Tensor> parameters;
  std::optional<Averages> averages;         // absent if trained without averages
  std::optional<OptimizerState> optimizer;  // absent if saved for prediction only
  std::uint64_t seed = 0;  // with `position` the whole random state, since random numbers are drawn by counter
  Position position;
  std::string model;  // Model::to_json
  bool operator==(const Checkpoint&) const = default;
};

/// Copies the values of the parameters, and the optimiser's state if `optimizer` is not null, to the checkpoint.
/// @throws UserError for an optimiser of other parameters.
void capture(const Parameters& parameters, const Optimizer* optimizer, Checkpoint& checkpoint);

/// Copies the values back, and touches every parameter (Parameters::touch).
/// @throws UserError that lists every parameter or slot that is missing, duplicate, unknown or of another shape, and
/// all options of the optimiser that differ; also for a value that is not finite (find_not_finite) and for an optimiser
/// of other parameters. Nothing has then changed.
void restore(const Checkpoint& checkpoint, Parameters& parameters, Optimizer* optimizer);

/// Copies the averages to the parameters; without averages, the saved parameters. @throws UserError as restore does.
void restore_averages(const Checkpoint& checkpoint, Parameters& parameters);

/// Describes the first value that is not finite, for example "parameter 'W' [4, 16] is nan at number 17", in
/// parameters, averages or the optimiser's state. Empty if all values are finite.
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
/// Rank 0 reads the file and sends it to all other ranks, which need no access to it.
Checkpoint load_checkpoint(const std::string& path, Job& job);

/// The options as a JSON object, as in checkpoints.
std::string to_json(const OptimizerOptions& options);

/// The options and data that the bits of training depend on, as text by name. Saved in checkpoints, compared on resume.
using RecordedOptions = std::map<std::string, std::string>;

/// Stores the options in `record.extra`.
void keep_options(const RecordedOptions& options, const std::string& key, TrainingRecord& record);

/// The options stored under the key; absent if there are none. @throws UserError if they are not readable.
/// @param path  Path of the checkpoint, for messages.
std::optional<RecordedOptions> kept_options(const TrainingRecord& record, const std::string& key,
                                            const std::string& path);

/// An option that only earlier versions record, and the value with which they give the bits of this version.
struct RemovedOption {
  std::string_view name, neutral;
};

/// One line for each option that differs between `kept` and `here`, or that only one of them has; empty if none. A
/// removed option with its neutral value does not count as a difference.
std::string describe_differences(const RecordedOptions& kept, const RecordedOptions& here,
                                 std::span<const RemovedOption> removed);

/// Translates a saved, comma-separated list of disabled passes to the names of this version. Removed passes that
/// changed no bit are dropped.
std::string current_passes(const std::string& kept);

}  // namespace v0_1
}  // namespace cavs
