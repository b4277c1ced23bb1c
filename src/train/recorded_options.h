#pragma once

#include <map>
#include <optional>
#include <string>

#include "cavs/checkpoint.h"

namespace cavs {

/// What the bits of training depend on, as text by name: kept in a checkpoint, to be compared when it is resumed.
using RecordedOptions = std::map<std::string, std::string>;

/// Keeps them in Checkpoint::extra.
void keep_options(const RecordedOptions& options, const std::string& key, Checkpoint& checkpoint);

/// Those that were kept under the key; none in other files. @param path  of the checkpoint, for messages
/// @throws UserError if they are not readable.
std::optional<RecordedOptions> kept_options(const Checkpoint& checkpoint, const std::string& key,
                                            const std::string& path);

/// A line of a message.
std::string describe_difference(const std::string& name, const std::string& kept, const std::string& here);

}  // namespace cavs
