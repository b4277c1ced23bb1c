#include <algorithm>

#include "cavs/model.h"
#include "cavs/parameters.h"
#include "cavs/vocabulary.h"
#include "ir/function.h"
#include "ir/op.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

void set_vectors(Parameters& parameters, const std::string& table, const WordVectors& vectors) {
  const int p = parameters.find(table);
  const ParameterInfo& info = parameters.info(p);
  user_check(info.table, "'{}' {} is not a table; word vectors need a table, which Model::lookup declares", table,
             to_string(info.shape));
  user_check(info.shape.dims[1] == vectors.width, "table '{}' is {}, but the vectors have {} numbers; expected {}",
             table, to_string(info.shape), vectors.width, info.shape.dims[1]);
  const auto width = static_cast<std::size_t>(vectors.width);
  user_check(vectors.values.size() == vectors.ids.size() * width,
             "{} vectors of {} numbers have {} numbers; expected {}", vectors.ids.size(), width, vectors.values.size(),
             vectors.ids.size() * width);
  const auto wrong = std::ranges::find_if(vectors.ids, [&](auto id) { return id < 0 || id >= info.shape.dims[0]; });
  user_check(wrong == vectors.ids.end(),
             "word {} has a vector, but table '{}' has {} rows; expected a row for each word",
             wrong == vectors.ids.end() ? 0 : *wrong, table, info.shape.dims[0]);
  const std::span<float> values = parameters.values(p);
  for (std::size_t i = 0; i < vectors.ids.size(); ++i)
    std::copy_n(vectors.values.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                values.begin() + static_cast<std::ptrdiff_t>(vectors.ids[i] * width));
  parameters.touch(p);
}

std::vector<std::string> tables_read_by(const Model& model, const std::string& port) {
  std::vector<std::string> tables;
  for (const Function& f : model.functions())
    for (const Node& node : f.nodes) {
      if (!node.is(OpId::kLookup) || f.nodes[node.in[0]].attribute_name() != port) continue;
      const std::string& name = node.attribute_name();
      if (std::ranges::find(tables, name) == tables.end()) tables.push_back(name);
    }
  return tables;
}

}  // namespace cavs::inline v0_1
