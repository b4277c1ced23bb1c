#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace cavs::inline v0_1 {

/// Returns the 64-bit FNV-1a hash. It must never change, because initial values depend on it.
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

/// A 64-bit checksum of many bytes, at about 2 GB/s. It detects damage, but not malicious changes. For each
/// little-endian word w of eight bytes (the last is padded with zeros), h = (h ^ w) * p; h ^= h >> 32. These
/// steps are invertible, so a change of a single word is always detected. The last word is the number of bytes.
class ContentHash {
 public:
  void update(std::span<const std::byte> bytes) {
    total_ += bytes.size();
    if (filled_ > 0) bytes = fill(bytes);
    for (; bytes.size() >= sizeof(std::uint64_t); bytes = bytes.subspan(sizeof(std::uint64_t))) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data(), sizeof word);
      mix(word);
    }
    if (!bytes.empty()) fill(bytes);
  }
  std::uint64_t digest() const {
    ContentHash end = *this;
    if (filled_ > 0) end.mix(partial_);
    end.mix(total_);
    return end.hash_;
  }

 private:
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x9E3779B97F4A7C15U;
    hash_ ^= hash_ >> 32;
  }
  std::span<const std::byte> fill(std::span<const std::byte> bytes) {
    while (!bytes.empty() && filled_ < sizeof partial_) {
      partial_ |= std::to_integer<std::uint64_t>(bytes.front()) << (8 * filled_++);
      bytes = bytes.subspan(1);
    }
    if (filled_ == sizeof partial_) {
      mix(partial_);
      partial_ = 0;
      filled_ = 0;
    }
    return bytes;
  }

  std::uint64_t hash_ = 0xCBF29CE484222325U;
  std::uint64_t total_ = 0;
  std::uint64_t partial_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace cavs::inline v0_1
