#pragma once

#include <string>
#include <vector>

namespace cavs::cuda {

/// A source text that other texts include by its name.
struct SourceFile {
  std::string name, text;
};

/// The CUDA C++ text of a module, with all files that it includes.
struct KernelSource {
  std::string text;
  std::vector<SourceFile> files{};

  /// Returns all texts joined, as a key for caches.
  std::string all() const {
    std::string joined = text;
    for (const SourceFile& file : files) joined += "// " + file.name + "\n" + file.text;
    return joined;
  }
};

/// Returns the files of device/ and those that host and device share, by path in src/. src/CMakeLists.txt embeds them.
std::vector<SourceFile> device_files();

}  // namespace cavs::cuda
