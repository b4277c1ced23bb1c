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
  std::string dtype;  // type of an element: "F32", "F64", ...
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;
};

/// Bytes of one element; 0 for an unknown type.
std::size_t dtype_size(std::string_view dtype);

/// The metadata entry with a hash of the whole file (support/hash.h), computed with '0' for the 16 hexadecimal digits
/// of the hash itself. Other readers ignore the entry; read_safetensors refuses a file with a wrong hash.
inline constexpr std::string_view kContentHashKey = "content_hash";

// Constants of the format.
inline constexpr std::size_t kLengthBytes = 8;                        // bytes of the length of the JSON header
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;         // limit of the reference implementation
inline constexpr std::string_view kHashMark = "\"content_hash\":\"";  // precedes the hash, and occurs only once
inline constexpr std::string_view kHashBlank = "0000000000000000";

/// Writes a safetensors file atomically (support/file.h). Names are sorted. Data of wider types come first, so that
/// each tensor is aligned to its type, and the data start at a multiple of 64 bytes. Equal contents give equal bytes.
/// @throws UserError if the file cannot be written, or a name or a metadata text is not valid UTF-8.
void write_safetensors(const std::string& path, std::vector<FileTensor> tensors,
                       std::map<std::string, std::string> metadata);

/// A file in memory. The tensors, sorted by name, point into `bytes`, so an object can be moved but not copied.
struct Safetensors {
  std::string where;  // the path, for messages
  std::vector<std::byte> bytes;
  std::vector<FileTensor> tensors;
  std::map<std::string, std::string> metadata;

  Safetensors() = default;
  Safetensors(Safetensors&&) noexcept = default;
  Safetensors& operator=(Safetensors&&) noexcept = default;
};

/// Reads a file. @throws UserError unless the file is correct: complete, undamaged, without duplicate or overlapping
/// tensors, holes, unknown types or contradictory sizes. Values are not checked. Cost: reads the file once into memory.
Safetensors read_safetensors(const std::string& path);

/// Like read_safetensors, for bytes in memory; `where` starts every message.
Safetensors parse_safetensors(std::vector<std::byte> bytes, const std::string& where);

}  // namespace cavs::inline v0_1
