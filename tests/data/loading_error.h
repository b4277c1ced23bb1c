#pragma once

#include <string>

#include "cavs/data.h"
#include "graphs/error_text.h"

namespace cavs {

/// The message of the error that loading throws, or "" if it throws none.
inline std::string loading_error(const std::string& spec, const DataOptions& options = {}) {
  return error_of([&] { load_data(spec, options); });
}

}  // namespace cavs
