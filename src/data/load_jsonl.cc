#include <algorithm>

#include "cavs/readers.h"
#include "data/data_kinds.h"
#include "support/check.h"

namespace cavs {

Dataset load_jsonl(DataSpec& spec, const DataOptions& options) {
  const DataSpec::Files files = spec.files();
  Dataset data;
  const std::string text = read_text_file(files.train);
  data.train = parse_jsonl(text, files.train, {options.schema, options.limits, options.limit});
  data.dev = GraphSet(data.train.schema(), options.limits);
  if (!files.dev.empty())
    data.dev = parse_jsonl(read_text_file(files.dev), files.dev, {&data.train.schema(), options.limits});
  if (options.words != nullptr) data.words = *options.words;
  const int range = std::max(port_range(data.train, "label"), port_range(data.dev, "label"));
  user_check(options.classes == 0 || range <= options.classes,
             "data '{}': the largest label is {}, but the model has {} classes; expected 0 to {}", files.train,
             range - 1, options.classes, options.classes - 1);
  data.classes = std::max(options.classes, range);
  return data;
}

SampleFiles jsonl_samples(DataSpec& spec, SampleOptions& options) {
  options.form = "jsonl";
  const DataSpec::Files files = spec.files();
  return {files.train, files.dev};
}

}  // namespace cavs
