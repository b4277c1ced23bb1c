#pragma once

#include <map>
#include <string>

#include "cavs/checkpoint.h"

namespace cavs::inline v0_1 {

/// The texts, by name, by which a checkpoint file keeps the record but for words and spec: it has them among those of
/// Checkpoint::extra.
std::map<std::string, std::string> texts_of(const DataRecord& data);

/// Takes these texts out of `texts` and fills in the record. @throws UserError, which begins with `where`, for a text
/// that is not as texts_of() writes it.
void take_texts(std::map<std::string, std::string>& texts, const std::string& where, DataRecord& data);

}  // namespace cavs::inline v0_1
