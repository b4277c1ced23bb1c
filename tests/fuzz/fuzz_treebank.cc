#include "cavs/readers.h"
#include "fuzz/fuzz_check.h"

CAVS_FUZZ_TARGET(treebank) {
  static const std::vector<std::string> tags{"S", "NP"};
  const bool strict = !bytes.empty() && bytes.front() % 2 == 0;
  const bool named = bytes.size() % 3 == 0;
  expect_graphs(parse_treebank(
      bytes, "fuzz", {.classes = strict ? 5 : 0, .require_labels = strict, .class_names = named ? &tags : nullptr}));
}
