#pragma once

#include <string_view>

namespace cavs::cuda {

/// The files of device/ and those that host and device share, as text: src/CMakeLists.txt puts them together.
extern const std::string_view kTextBeforeTables;  // what tables are made of
extern const std::string_view kTextAfterTables;   // what works with them
extern const std::string_view kKernelText;        // of the kernel, after its tiles are read

}  // namespace cavs::cuda
