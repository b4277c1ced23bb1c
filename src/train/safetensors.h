#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cavs::inline v0_1 {

/// A tensor of a safetensors file: row-major, little-endian, not aligned when read.
struct FileTensor {
  std::string name;
  std::string dtype;  // "F32", "F64", ...
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;
};

/// Bytes of one element; 0 for an unknown type.
std::size_t dtype_size(std::string_view dtype);

/// The metadata entry with a hash of the whole file (support/hash.h; its own 16 hexadecimal digits taken as '0'). Other
/// readers ignore it; read_safetensors refuses a file that does not match it.
inline constexpr std::string_view kContentHashKey = "content_hash";

// What the reader and the writer agree on.
inline constexpr std::size_t kLengthBytes = 8;                        // little-endian length of the JSON header
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;         // as the reference implementation
inline constexpr std::string_view kHashMark = "\"content_hash\":\"";  // quotes in names and texts are escaped
inline constexpr std::string_view kHashBlank = "0000000000000000";

/// Writes a safetensors file atomically (support/file.h). Names are sorted, wider types come first in the data, so that
/// each tensor is aligned to its type; the data starts at a multiple of 64 bytes. Equal contents give equal bytes.
/// @throws UserError if it cannot be saved, or a name or a metadata text is not valid UTF-8.
void write_safetensors(const std::string& path, std::vector<FileTensor> tensors,
                       std::map<std::string, std::string> metadata);

/// A file in memory. The tensors, sorted by name, point into `bytes`: movable, not copied.
struct Safetensors {
  std::string where;  // the path, for messages
  std::vector<std::byte> bytes;
  std::vector<FileTensor> tensors;
  std::map<std::string, std::string> metadata;

  Safetensors() = default;
  Safetensors(Safetensors&&) noexcept = default;
  Safetensors& operator=(Safetensors&&) noexcept = default;
};

/// @throws UserError on anything but a correct file: cut off, damaged, repeated or overlapping tensors, holes, unknown
/// types, sizes that disagree. Values are not looked at. Cost: reads the file once; memory as large as the file.
Safetensors read_safetensors(const std::string& path);

/// The same for bytes in memory; `where` starts every message.
Safetensors parse_safetensors(std::vector<std::byte> bytes, const std::string& where);

}  // namespace cavs::inline v0_1
