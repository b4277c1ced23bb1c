#pragma once

#include <string>
#include <vector>

namespace cavs::cuda {

/// A text that others include by its name.
struct SourceFile {
  std::string name, text;
};

/// CUDA C++ that has one kernel, with all files that it includes.
struct KernelSource {
  std::string text;
  std::vector<SourceFile> files{};

  /// All texts joined, as a key for caches.
  std::string all() const {
    std::string joined = text;
    for (const SourceFile& file : files) joined += "// " + file.name + "\n" + file.text;
    return joined;
  }
};

/// The files of device/ and files that host and device share, by path in src/. src/CMakeLists.txt embeds them.
std::vector<SourceFile> device_files();

}  // namespace cavs::cuda
