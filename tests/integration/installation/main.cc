// Counts the vertices below each vertex of two trees, from declaring to running, with installed headers only.
#include <cavs/cavs.h>

#include <iostream>
#include <vector>

int main() {
  cavs::Model model;
  const auto weight = model.parameter("weight", {1, 1}, cavs::Initializer::constant(1));
  const auto own = model.parameter("own", {1}, cavs::Initializer::constant(1));
  model.vertex_function("vertex", [&](cavs::Vertex& v) {
    const auto count = sum(v.children("count") * weight) + own;
    v.scatter("count", count);
    v.push("count", count);
  });

  const cavs::GraphSet graphs = cavs::graphs_from_text("0>2 1>2 | 3>4");
  const auto program = cavs::compile(model, {.training = false});
  const auto bound = cavs::bind_graphs(program, graphs);
  cavs::Session session(program, model.make_parameters(), {.threads = 2});
  const cavs::Run run = session.forward(*bound, std::vector<std::int32_t>{0, 1});
  for (const float count : run.output("count")) std::cout << count << " ";
  std::cout << "\n";
  return 0;
}
