#include "cavs/readers.h"
#include "data/listops.h"
#include "fuzz/fuzz_check.h"

CAVS_FUZZ_TARGET(listops) {
  const auto trees = parse_listops_file(bytes, "fuzz");
  for (const Tree& tree : trees) expect(tree.labels[0] >= 0 && tree.labels[0] <= 9, "a value is a digit");
  expect_graphs(trees);
  static_cast<void>(begins_listops(bytes));
}
