#include "compile/plain_functions.h"

#include "compile/passes.h"

namespace cavs::inline v0_1 {

std::vector<Function> plain_functions(const Program& program) {
  const PassContext context{.training = program.options.training,
                            .pull_gradients = program.options.pull_gradients,
                            .push_gradients = program.push_gradients};
  std::vector<Function> functions;
  for (const TypeProgram& type : program.types) functions.push_back(differentiate(type.declared, context));
  return functions;
}

}  // namespace cavs::inline v0_1
