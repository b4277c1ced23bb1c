#include "execute/gradient_progress.h"

#include <algorithm>

namespace cavs::inline v0_1 {

std::vector<std::size_t> early_gradients(const Program& program) {
  std::vector<std::size_t> early;
  const auto each = [&](Stage stage, auto f) {
    for (const TypeProgram& type : program.types)
      for (const Instruction& i : type.at(true, stage)) each_dense_gradient(i, f);
  };
  const auto add_last = [&](std::size_t p) {
    std::erase(early, p);
    early.push_back(p);
  };
  each(Stage::kEager, add_last);
  each(Stage::kLazy, add_last);
  each(Stage::kTask, [&](std::size_t p) { std::erase(early, p); });
  std::erase_if(early, [&](std::size_t p) { return program.parameters[p].table; });
  return early;
}

}  // namespace cavs::inline v0_1
