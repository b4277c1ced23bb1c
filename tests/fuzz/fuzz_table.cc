#include <string>
#include <vector>

#include "data/table_reader.h"
#include "fuzz/fuzz_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char separator : {',', ';', '\t'})
    cavs::expect_result_or_message(data, size, [&](std::string_view text) {
      cavs::TableReader reader(text, "fuzz", separator);
      std::vector<std::string> fields;
      std::size_t columns = 0;
      for (std::int64_t before = 0; reader.next(fields); before = reader.line()) {
        if (columns == 0) columns = fields.size();
        if (fields.size() != columns || reader.line() <= before) __builtin_trap();
      }
    });
  return 0;
}
