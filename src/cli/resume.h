#pragma once

#include <optional>
#include <string>

#include "cavs/checkpoint.h"
#include "cavs/graph.h"
#include "cli/options.h"

namespace cavs::cli {

/// Every option that the bits of training depend on, as text by name, and a hash of the training data.
RecordedOptions recorded_options(const Options& options, const Trainer& trainer, const Dataset& data);

/// Of the training part, in memory or streamed.
std::int64_t train_samples(const Dataset& data);

/// Keeps them in Checkpoint::extra.
void record_options(const RecordedOptions& recorded, TrainingRecord& record);

inline constexpr const char *kEngine = "--engine", *kDevice = "--device";

/// What the training of a checkpoint has had last of an option; none in a file that 'cavs train' has not written, or
/// that is older than the option.
/// @param path  of the checkpoint, for messages
std::optional<std::string> recorded_option(const Checkpoint& checkpoint, const std::string& path,
                                           const std::string& name);

/// What a file records of a device: which of several GPUs it is does not matter.
std::string device_kind(const std::string& device);

/// The engine that goes on with training of a recorded engine: on the CPU `batched` for `persistent` and `auto`, whose
/// bits it has.
std::string engine_to_resume(const std::string& recorded, const std::string& device);

/// Engines of the same bits may take over from each other, and any device from any other: a GPU may not be there.
/// @throws UserError that lists every option which is another one than in the checkpoint.
/// @param new_dev  the development part may differ   @return whether it is the same, or was not recorded
bool check_resumed(const Checkpoint& checkpoint, const RecordedOptions& recorded, const std::string& path,
                   bool new_dev);

/// Puts "not known" (NaN) for what the epochs so far came to on the development part.
void forget_dev(TrainingRecord& record, Metric metric);

}  // namespace cavs::cli
