#include "cavs/readers.h"
#include "fuzz/fuzz_check.h"

/// Input: a text file, or a gzip of a text file.
CAVS_FUZZ_TARGET(gzip) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 24;
  const std::string text = read_text_file(memory_file(bytes), kMostBytes);
  expect(static_cast<std::int64_t>(text.size()) <= kMostBytes, "a text is as long as allowed");
  expect(bytes.starts_with("\x1F\x8B") || text == bytes, "a file that is no gzip is read as it is");
}
