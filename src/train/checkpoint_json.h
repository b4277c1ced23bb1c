#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "cavs/checkpoint.h"

/// The JSON texts in the metadata of checkpoints. Reading throws UserError for a missing, unknown or mistyped field.
namespace cavs::inline v0_1 {

/// Maximum number of steps in a file. It is so small that further steps cannot overflow the counter.
inline constexpr std::int64_t kMaxSteps = std::int64_t{1} << 53;

nlohmann::json options_to_json(const OptimizerOptions& options);
OptimizerOptions options_from_json(const nlohmann::json& json, const std::string& where);

nlohmann::json position_to_json(const Checkpoint& checkpoint);
void position_from_json(const nlohmann::json& json, Checkpoint& checkpoint, const std::string& where);

}  // namespace cavs::inline v0_1
