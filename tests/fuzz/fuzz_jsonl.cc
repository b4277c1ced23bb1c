#include "cavs/readers.h"
#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cavs::expect_result_or_message(data, size, [](std::string_view text) {
    static const cavs::Vocabulary words({"<unk>", "a"});
    static const std::vector<std::string> tags{"a", "b"};
    static const cavs::EdgeNames edges{{"r", {"a", "b"}}};
    const cavs::GraphSet graphs =
        cavs::parse_jsonl(text, "fuzz", {.words = &words, .tags = &tags, .edge_names = &edges});
    if (graphs.size() < 1) __builtin_trap();
    // What has been read into a schema of its own fits that schema again.
    if (cavs::parse_jsonl(text, "fuzz",
                          {.schema = &graphs.schema(), .words = &words, .tags = &tags, .edge_names = &edges})
            .to_arrays()
            .types != graphs.to_arrays().types)
      __builtin_trap();
  });
  return 0;
}
