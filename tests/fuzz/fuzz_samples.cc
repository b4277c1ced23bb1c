#include "cavs/readers.h"
#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cavs::expect_result_or_message(data, size, [](std::string_view text) {
    const cavs::Samples samples = cavs::parse_samples(text, {.classes = 5});
    if (samples.graphs.size() != static_cast<std::int32_t>(samples.trees.size())) __builtin_trap();
  });
  return 0;
}
