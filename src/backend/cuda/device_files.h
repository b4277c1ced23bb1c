#pragma once

#include <string>
#include <vector>

namespace cavs::cuda {

/// A text that others include by its name.
struct SourceFile {
  std::string name, text;
};

/// CUDA C++ that has one kernel, and all that it includes.
struct KernelSource {
  std::string text;
  std::vector<SourceFile> files{};

  /// One text, by which caches know what was made of it.
  std::string all() const {
    std::string joined = text;
    for (const SourceFile& file : files) joined += "// " + file.name + "\n" + file.text;
    return joined;
  }
};

/// The files of device/ and those that host and device share, by their paths in src/, which src/CMakeLists.txt embeds.
std::vector<SourceFile> device_files();

}  // namespace cavs::cuda
