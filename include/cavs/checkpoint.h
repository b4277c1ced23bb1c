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

/// The part of a checkpoint about the data that its model was trained on, so that other data are read in the same way
/// (data_record).
struct DataRecord {
  std::string spec = {};                // as load_data takes it; empty: unknown
  std::vector<std::string> words = {};  // the vocabulary, in the order of the ids; empty: words come as ids
  // Of the graphs as they were read; absent: trained_model derives it from the model.
  std::optional<GraphSchema> schema = std::nullopt;
  std::string graph_builder = {};  // as in Dataset, like all that follow
  std::vector<std::string> tags = {};
  std::string tag_scheme = {};
  EdgeNames edge_names = {};
  std::map<std::string, std::vector<std::string>> port_words = {};
  // The words of lattices' lexicon; absent: there is none, or it is larger than kMaxLexiconBytes.
  std::optional<std::string> lexicon = std::nullopt;
  bool operator==(const DataRecord&) const = default;
};

/// Larger lexicons are not kept, since every save writes them.
inline constexpr std::size_t kMaxLexiconBytes = std::size_t{16} << 20;

/// The part of a checkpoint besides the state of training.
struct TrainingRecord {
  DataRecord data;
  std::map<std::string, std::vector<double>> metrics;  // one value per epoch, kept bit for bit; NaN is allowed
  std::map<std::string, std::string> extra;            // whatever else the caller keeps
  bool operator==(const TrainingRecord&) const = default;
};

/// Everything that training needs to go on as if it had never stopped, as plain values. It holds no time, no name of a
/// machine, and no path but those in `data`, so equal states are saved as equal bytes.
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
    std::map<std::string, std::vector<Tensor>> slots;  // by Optimizer::slot_name: one tensor per parameter
    bool operator==(const OptimizerState&) const = default;
  };
  /// Where training stands: `sample` samples of `epoch` are done, in the order that (seed, epoch) gives.
  struct Position {
    std::int64_t epoch = 0;
    std::int64_t sample = 0;
    std::int64_t step = 0;  // of training since the start
    bool operator==(const Position&) const = default;
  };

  /// Moving averages of the parameters.
  struct Averages {
    double decay = 0;  // TrainOptions::ema
    std::vector<Tensor> values;
    bool operator==(const Averages&) const = default;
  };

  std::vector<Tensor> parameters;
  std::optional<Averages> averages;         // absent: trained without averages
  std::optional<OptimizerState> optimizer;  // absent: saved for prediction only
  std::uint64_t seed = 0;  // with the position it is the whole random state, for numbers are drawn by counter
  Position position;
  std::string model;  // F as versioned JSON; opaque here
  bool operator==(const Checkpoint&) const = default;
};

/// Copies the values of parameters, and of an optimiser where one is given. @throws UserError for an optimiser of other
/// parameters.
void capture(const Parameters& parameters, const Optimizer* optimizer, Checkpoint& checkpoint);

/// Copies the values back, and touches every parameter (Parameters::touch). @throws UserError that lists every
/// parameter or slot that is missing, occurs twice, is unknown or has another shape, and an optimiser's options that
/// differ; also for a value that is not finite (find_not_finite) and for an optimiser of other parameters. Nothing is
/// then changed.
void restore(const Checkpoint& checkpoint, Parameters& parameters, Optimizer* optimizer);

/// The averages, or the parameters where there are none. @throws UserError as restore does.
void restore_averages(const Checkpoint& checkpoint, Parameters& parameters);

/// The first value that is not finite, as "parameter 'W' [4, 16] is nan at number 17" (likewise for averages and the
/// optimiser's state); empty if all values are finite.
std::string find_not_finite(const Checkpoint& checkpoint);

/// Saves atomically, as one safetensors file: tensors "parameters/NAME", "averages/NAME", "optimizer/KIND/SLOT/NAME"
/// and "metrics/NAME" (F64), all else as texts in its metadata (docs/guide/checkpoints.md). A crash at any moment
/// leaves the former file whole.
/// @throws UserError if it cannot be saved, a text is not valid UTF-8, or a tensor occurs twice or has not as many
/// values as its shape.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// @throws UserError if the file is missing, cut off, altered in any bit, not a checkpoint, or of a newer version.
Checkpoint load_checkpoint(const std::string& path);
/// Rank 0 reads it for all ranks, whose file systems need not have it.
Checkpoint load_checkpoint(const std::string& path, Job& job);

/// The options as a checkpoint holds them: a JSON object.
std::string to_json(const OptimizerOptions& options);

/// The options and data that the bits of training depend on, as text by name: kept in a checkpoint, to be compared when
/// it is resumed.
using RecordedOptions = std::map<std::string, std::string>;

/// Keeps them in the record's extra texts.
void keep_options(const RecordedOptions& options, const std::string& key, TrainingRecord& record);

/// Those that were kept under the key; none in other files. @param path  of the checkpoint, for messages
/// @throws UserError if they are not readable.
std::optional<RecordedOptions> kept_options(const TrainingRecord& record, const std::string& key,
                                            const std::string& path);

/// An option that earlier versions recorded, and the value with which they trained to the bits of this version.
struct RemovedOption {
  std::string_view name, neutral;
};

/// A line for each option whose kept value is not that of `here`, in both directions; empty: none. A kept option that
/// is removed is no difference where it has its neutral value.
std::string describe_differences(const RecordedOptions& kept, const RecordedOptions& here,
                                 std::span<const RemovedOption> removed);

/// A kept list of disabled passes, separated by commas, in the names of this version, without passes that it does not
/// have and that changed no bit where they are named.
std::string current_passes(const std::string& kept);

}  // namespace v0_1
}  // namespace cavs
