#include <algorithm>

#include "cavs/data.h"
#include "fuzz/fuzz_check.h"

/// Input: a data spec of files a and b, as in `cavs train --data SPEC`, on the first line; then the texts of both
/// files, separated by a form feed.
CAVS_FUZZ_TARGET(data) {
  const std::string spec(take_part(bytes, '\n'));
  if (find_invalid_utf8(spec) != spec.npos) return;  // messages quote names of files, which may have any bytes
  const std::string first(take_part(bytes, '\f'));
  const std::map<std::string, std::string> texts{{"a", first}, {"b", std::string(bytes)}};
  const std::vector<std::string> files = data_files(spec);
  const bool in_memory = std::ranges::all_of(files, [&](const std::string& file) { return texts.contains(file); });
  if (files.empty() || !in_memory) return;  // generated data, or data on disk
  const Dataset data = load_data(spec, {.texts = &texts});
  expect(data.train.size() > 0, "there are samples");
  expect(data.classes >= 0 && (data.class_names.empty() || std::ssize(data.class_names) == data.classes),
         "each class has a name");
  expect(data.words.size() > 0, "there is a vocabulary");
}
