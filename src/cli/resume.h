#pragma once

#include <optional>
#include <string>

#include "cavs/checkpoint.h"
#include "cavs/graph.h"
#include "cli/options.h"

namespace cavs::cli {

/// Returns all options that influence the results of training, as text by name, and a hash of the training data.
RecordedOptions recorded_options(const Options& options, const Trainer& trainer, const Dataset& data);

/// Returns the number of samples of the training part, in memory or streamed.
std::int64_t train_samples(const Dataset& data);

/// Saves the options in Checkpoint::extra.
void record_options(const RecordedOptions& recorded, TrainingRecord& record);

inline constexpr const char *kEngine = "--engine", *kDevice = "--device";

/// Returns the last value of an option in the training of a checkpoint; nullopt if the file was not written by 'cavs
/// train', or is older than the option.
/// @param path  path of the checkpoint, for messages
std::optional<std::string> recorded_option(const Checkpoint& checkpoint, const std::string& path,
                                           const std::string& name);

/// Returns the kind of a device, as a checkpoint records it: without the number of the GPU.
std::string device_kind(const std::string& device);

/// Returns the engine that continues the training of a recorded engine. On the CPU it is `batched`, also for the
/// recorded engines `persistent` and `auto`, whose results are bit-identical.
std::string engine_to_resume(const std::string& recorded, const std::string& device);

/// Compares the options with those of the checkpoint. The engine may be replaced by an engine with bit-identical
/// results, and the device by any device, because a GPU may be missing.
/// @throws UserError that lists all options that differ from the checkpoint.
/// @param new_dev  true if the development part may differ
/// Returns true if the development part is the same, or was not recorded.
bool check_resumed(const Checkpoint& checkpoint, const RecordedOptions& recorded, const std::string& path,
                   bool new_dev);

/// Replaces the development results of all finished epochs by NaN.
void forget_dev(TrainingRecord& record, Metric metric);

}  // namespace cavs::cli
