#include "cavs/readers.h"
#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cavs::expect_result_or_message(data, size, [](std::string_view text) {
    const auto trees = cavs::parse_listops(text, "fuzz");
    for (const cavs::Tree& tree : trees)
      if (tree.labels[0] < 0 || tree.labels[0] > 9) __builtin_trap();
    cavs::expect_graphs(trees);
  });
  return 0;
}
