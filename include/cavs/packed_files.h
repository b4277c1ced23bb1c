#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// What a packed file unpacks to.
class Unpacked {
 public:
  virtual ~Unpacked() = default;
  /// Up to `size` of the bytes; 0 at the end. @throws UserError if the file is cut off or damaged.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// Unpacks a file. @param path  for messages   @param next  the next bytes of the file, valid until the next call; none
/// at its end
using Unpack =
    std::function<std::unique_ptr<Unpacked>(const std::string& path, std::function<std::string_view()> next)>;

/// Sets how readers of texts unpack files that look packed, but are no gzip, which the library reads itself. For the
/// whole process, before anything is read; by default a message names the packing and the command that unpacks it. A
/// text that only begins as a packed file does has to come out as it is.
void read_packed_files(Unpack unpack);

}  // namespace v0_1
}  // namespace cavs
