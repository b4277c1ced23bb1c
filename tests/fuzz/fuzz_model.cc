#include "cavs/compile.h"
#include "cavs/model.h"
#include "fuzz/fuzz_check.h"

CAVS_FUZZ_TARGET(model) {
  const std::string text(bytes);
  const Model model = Model::from_json(text);
  const std::string written = model.to_json();
  expect(Model::from_json(written).to_json() == written, "a model that was written is read as it was");
  for (const bool training : {true, false})
    check_input([&](std::string_view) { compile(model, {.training = training}); }, bytes);
}
