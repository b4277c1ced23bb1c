#include "data/random_expressions.h"

#include "data/generator_random.h"
#include "data/listops.h"

namespace cavs {

GraphSchema expression_schema() { return {.types = {"vertex"}, .index_ports = {"word", "label"}, .float_ports = {}}; }

InputGraph ExpressionSource::expression(Split split, std::int64_t i) const {
  constexpr std::uint32_t kOperators = kListOpsOperators.size();
  Random random = random_for(Generator::kExpression, shape_.seed, i, split == Split::kTest ? 1 : 0);
  const std::int32_t operators = draw_length(shape_, random), digits = 2 + operators / 2, vertices = operators + digits;
  InputGraph graph;
  graph.types.assign(vertices, 0);
  graph.child_offsets.push_back(0);
  graph.index_pulls.assign(2, std::vector<std::int32_t>(vertices, -1));
  std::vector<std::int32_t> values(vertices);
  for (std::int32_t v = 0; v < vertices; ++v) {
    std::string_view word = std::string_view("0123456789").substr(random.below(10), 1);
    values[v] = word.front() - '0';
    if (v >= digits) {
      word = kListOpsOperators[random.below(kOperators)];
      std::vector<std::int32_t> arguments;
      for (std::uint32_t k = 2 + random.below(2); k > 0; --k) {
        graph.children.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(v))));
        arguments.push_back(values[graph.children.back()]);
      }
      graph.index_pulls[1][v] = values[v] = apply_listops(word, arguments);
    }
    graph.index_pulls[0][v] = words_.id(word);
    graph.child_offsets.push_back(static_cast<std::int32_t>(graph.children.size()));
  }
  return graph;
}

}  // namespace cavs
