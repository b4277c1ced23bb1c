#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cavs/checkpoint.h"

namespace cavs::inline v0_1 {

/// What the bits of training depend on, as text by name: kept in a checkpoint, to be compared when it is resumed.
using RecordedOptions = std::map<std::string, std::string>;

/// Keeps them in Checkpoint::extra.
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

/// A kept list of disabled passes in the names of this version, without passes that it does not have and that changed
/// no bit where they are named. @param separator  between the names
std::string current_passes(const std::string& kept, std::string_view separator);

}  // namespace cavs::inline v0_1
