#pragma once

#include <filesystem>
#include <fstream>

#include "backend/cuda/device_files.h"

namespace cavs::cuda {

/// Writes a kernel's text to FOLDER/kernel.cc, and the files that it includes to paths below FOLDER, for -I FOLDER.
inline void write_source(const std::filesystem::path& folder, const KernelSource& source) {
  std::ofstream(folder / "kernel.cc") << source.text;
  for (const SourceFile& file : source.files) {
    create_directories((folder / file.name).parent_path());
    std::ofstream(folder / file.name) << file.text;
  }
}

}  // namespace cavs::cuda
