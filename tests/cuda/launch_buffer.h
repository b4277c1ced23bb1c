#pragma once

#include <cstddef>
#include <string>

namespace cavs::cuda {

/// Host memory that a kernel may access, at its host address.
struct LaunchBuffer {
  std::string name;
  void* data = nullptr;
  std::size_t bytes = 0;
  bool written = true;  // false if the kernel must write the memory before it reads it
};

}  // namespace cavs::cuda
