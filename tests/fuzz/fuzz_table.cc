#include <vector>

#include "data/table_reader.h"
#include "fuzz/fuzz_check.h"

CAVS_FUZZ_TARGET(table) {
  for (const char separator : {',', ';', '\t'})
    check_input(
        [separator](std::string_view text) {
          TableReader reader(text, "fuzz", separator);
          std::vector<std::string> fields;
          std::size_t columns = 0;
          for (std::int64_t before = 0; reader.next(fields); before = reader.line()) {
            if (columns == 0) columns = fields.size();
            expect(fields.size() == columns, "each row has all columns");
            expect(reader.line() > before, "lines are counted");
          }
        },
        bytes);
}
