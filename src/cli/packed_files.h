#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cavs/packed_files.h"

namespace cavs::cli {

/// What libarchive unpacks: xz, zstd, bzip2 and lz4. What is none of these comes out as it is (cavs::Unpack).
std::unique_ptr<Unpacked> unpack(const std::string& path, std::function<std::string_view()> next);

}  // namespace cavs::cli
