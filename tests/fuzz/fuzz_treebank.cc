#include "cavs/readers.h"
#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool strict = size > 0 && data[0] % 2 == 0;
  cavs::expect_result_or_message(data, size, [strict](std::string_view text) {
    static const std::vector<std::string> tags{"S", "NP"};
    const bool named = text.size() % 3 == 0;
    cavs::expect_graphs(cavs::parse_treebank(
        text, "fuzz", {.classes = strict ? 5 : 0, .require_labels = strict, .tags = named ? &tags : nullptr}));
  });
  return 0;
}
