#pragma once

#include <cstddef>
#include <string>

namespace cavs::cuda {

/// Host memory that a kernel may use, at its own address.
struct LaunchBuffer {
  std::string name;
  void* data = nullptr;
  std::size_t bytes = 0;
  bool written = true;  // false: the kernel must write it before it reads it
};

}  // namespace cavs::cuda
