#pragma once

#include <string_view>

namespace cavs::inline v0_1 {

/// Returns the format of a file that begins with these bytes, and how to convert it to UTF-8 text; empty if unknown.
inline std::string_view find_packing(std::string_view bytes) {
  using std::string_view_literals::operator""sv;
  struct Packing {
    std::string_view begin, what;
  };
  constexpr Packing kPackings[] = {{"\xFD\x37zXZ\0"sv, "a file compressed by xz; unpack it (xz -d)"},
                                   {"\x28\xB5\x2F\xFD"sv, "a file compressed by zstd; unpack it (zstd -d)"},
                                   {"BZh"sv, "a file compressed by bzip2; unpack it (bzip2 -d)"},
                                   {"PK\x03\x04"sv, "a zip archive, or a document that is one; unpack it (unzip)"},
                                   {"PK\x05\x06"sv, "an empty zip archive"},
                                   {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive; unpack it (7z x)"},
                                   {"\x04\x22\x4D\x18"sv, "a file compressed by lz4; unpack it (lz4 -d)"},
                                   {"\x1F\x9D"sv, "a file compressed by compress; unpack it (uncompress)"},
                                   {"\x1F\x8B"sv, "a gzip; unpack it (gzip -d)"},
                                   {"\xFF\xFE\0\0"sv, "text in UTF-32; convert it (iconv -f UTF-32 -t UTF-8)"},
                                   {"\0\0\xFE\xFF"sv, "text in UTF-32; convert it (iconv -f UTF-32 -t UTF-8)"},
                                   {"\xFF\xFE"sv, "text in UTF-16; convert it (iconv -f UTF-16 -t UTF-8)"},
                                   {"\xFE\xFF"sv, "text in UTF-16; convert it (iconv -f UTF-16 -t UTF-8)"},
                                   {"%PDF"sv, "a PDF; save its text"},
                                   {"SQLite format 3"sv, "a database of SQLite; write a table as CSV"},
                                   {"PAR1"sv, "a Parquet file; write it as CSV or JSON Lines"}};
  for (const Packing& packing : kPackings)
    if (bytes.starts_with(packing.begin)) return packing.what;
  return {};
}

}  // namespace cavs::inline v0_1
