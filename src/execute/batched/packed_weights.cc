#include "execute/batched/packed_weights.h"

#include <algorithm>

#include "plan/work_share.h"
#include "tensor/parameters_access.h"

namespace cavs {

PackedWeights::PackedWeights(const Program& program, cpu::Precision precision) {
  for (const Weight& weight : program.weights) {
    const int rows = weight.transposed ? 1 : 0, columns = 1 - rows;
    std::vector<int> widths;
    for (std::int32_t p : weight.parameters) widths.push_back(program.parameters[p].shape.dims[columns]);
    const int k = program.parameters[weight.parameters[0]].shape.dims[rows];
    packs_.push_back({weight, {k, widths, weight.gate, precision}, std::vector(widths.size(), ~std::uint64_t{0})});
  }
}

bool PackedWeights::stale(const Parameters& parameters) const {
  bool any = false;
  for (const Pack& pack : packs_)
    for (std::size_t part = 0; part < pack.versions.size(); ++part) {
      const int p = pack.weight.parameters[part];
      if (pack.versions[part] == parameters.version(p)) continue;
      detail::ParametersAccess::restore(parameters, p);
      any = true;
    }
  return any;
}

void PackedWeights::refresh(const Parameters& parameters, int worker, int workers) {
  for (Pack& pack : packs_)
    for (std::size_t part = 0; part < pack.versions.size(); ++part) {
      const int p = pack.weight.parameters[part];
      if (pack.versions[part] == parameters.version(p)) continue;
      const Shape& shape = parameters.info(p).shape;
      const auto [begin, end] = split_range(0, shape.dims[0], worker, workers, cpu::kSlice);
      const float* rows = parameters.values(p).data() + std::int64_t{begin} * shape.dims[1];
      pack.packed.pack(static_cast<int>(part), rows, pack.weight.transposed, begin, end);
    }
}

void PackedWeights::renew_rows(int parameter, std::int32_t begin, std::int32_t end, const float* rows) {
  for (Pack& pack : packs_)
    for (std::size_t part = 0; part < pack.versions.size(); ++part)
      if (pack.weight.parameters[part] == parameter)
        pack.packed.pack(static_cast<int>(part), rows, pack.weight.transposed, begin, end);
}

void PackedWeights::mark_fresh(const Parameters& parameters) {
  for (int p = 0; p < parameters.size(); ++p) mark_fresh(parameters, p);
}

void PackedWeights::mark_fresh(const Parameters& parameters, int parameter) {
  for (Pack& pack : packs_)
    for (std::size_t part = 0; part < pack.versions.size(); ++part)
      if (pack.weight.parameters[part] == parameter) pack.versions[part] = parameters.version(parameter);
}

PackedWeights::Place PackedWeights::find(int parameter) const {
  for (std::size_t w = 0; w < packs_.size(); ++w) {
    const auto& [weight, packed, versions] = packs_[w];
    const auto it = std::find(weight.parameters.begin(), weight.parameters.end(), parameter);
    if (!weight.transposed && it != weight.parameters.end())
      return {static_cast<std::int32_t>(w), static_cast<int>(it - weight.parameters.begin())};
  }
  return {};
}

}  // namespace cavs
