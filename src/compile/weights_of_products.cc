#include "compile/weights_of_products.h"

#include <algorithm>

namespace cavs {

std::vector<char> readable_as_declared(const Program& program) {
  std::vector<char> declared(program.parameters.size()), readable;
  for (const Weight& weight : program.weights)
    for (const std::int32_t p : weight.parameters) declared[p] = declared[p] != 0 || !weight.transposed;
  const auto is_declared = [&](std::int32_t p) { return declared[p] != 0; };
  for (const Weight& weight : program.weights)
    readable.push_back(weight.transposed && std::ranges::all_of(weight.parameters, is_declared));
  for (const TypeProgram& type : program.types)
    for (const Stage stage : {Stage::kEager, Stage::kTask, Stage::kLazy})
      each_instruction(type.at(false, stage), [&](const Instruction& i) {
        if (const auto* const product = i.as<Matmul>())
          for (const Factor& factor : product->factors) readable[factor.weight] = 0;
      });
  return readable;
}

}  // namespace cavs
