#include "cavs/readers.h"
#include "fuzz/fuzz_check.h"

CAVS_FUZZ_TARGET(jsonl) {
  static const Vocabulary words({"<unk>", "a"});
  static const std::vector<std::string> tags{"a", "b"};
  static const EdgeNames edges{{"r", {"a", "b"}}};
  const GraphSet graphs = parse_jsonl(bytes, "fuzz", {.words = &words, .class_names = &tags, .edge_names = &edges});
  expect(graphs.size() > 0, "there is a graph");
  const GraphSet again = parse_jsonl(
      bytes, "fuzz", {.schema = &graphs.schema(), .words = &words, .class_names = &tags, .edge_names = &edges});
  expect(again.to_arrays().types == graphs.to_arrays().types, "graphs fit the schema that was made of them");
}
