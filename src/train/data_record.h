#pragma once

#include <map>
#include <string>

#include "cavs/checkpoint.h"

namespace cavs::inline v0_1 {

/// Returns the record, without words and spec, as texts by name. A checkpoint file has them among the texts of
/// Checkpoint::extra.
std::map<std::string, std::string> texts_of(const DataRecord& data);

/// Moves the texts that texts_of() makes from `texts` into the record. @throws UserError, beginning with `where`, for a
/// text that is not valid.
void take_texts(std::map<std::string, std::string>& texts, const std::string& where, DataRecord& data);

}  // namespace cavs::inline v0_1
