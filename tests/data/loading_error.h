#pragma once

#include <string>

#include "cavs/data.h"
#include "graphs/error_text.h"

namespace cavs {

/// What loading says; "" where nothing is wrong.
inline std::string loading_error(const std::string& spec, const DataOptions& options = {}) {
  return error_of([&] { load_data(spec, options); });
}

}  // namespace cavs
