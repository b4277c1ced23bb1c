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
  homes_.resize(program.parameters.size());
  others_.resize(program.parameters.size());
  for (std::size_t w = 0; w < packs_.size(); ++w)
    for (std::size_t part = 0; part < packs_[w].versions.size(); ++part) {
      const Weight& weight = packs_[w].weight;
      const Place place{static_cast<std::int32_t>(w), static_cast<int>(part)};
      Place& home = homes_[weight.parameters[part]];
      if (home.weight < 0 && !weight.transposed)
        home = place;
      else
        others_[weight.parameters[part]].push_back(place);
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

bool PackedWeights::has_squares(int parameter) const {
  const auto in_squares = [this](const Place& place) { return packs_[place.weight].packed.has_squares(place.part); };
  return homes_[parameter].weight >= 0 && in_squares(homes_[parameter]) &&
         std::ranges::all_of(others_[parameter], in_squares);
}

void PackedWeights::renew_square(int parameter, const float* square, int row, int column) {
  for (const Place& place : others_[parameter]) {
    Pack& pack = packs_[place.weight];
    if (pack.weight.transposed)
      cpu::transpose_square(square, pack.packed.square(place.part, column, row));
    else
      std::copy_n(square, cpu::kSlice * cpu::kSlice, pack.packed.square(place.part, row, column));
  }
}

void PackedWeights::mark_fresh(const Parameters& parameters) {
  for (int p = 0; p < parameters.size(); ++p) mark_fresh(parameters, p);
}

void PackedWeights::mark_fresh(const Parameters& parameters, int parameter) {
  for (Pack& pack : packs_)
    for (std::size_t part = 0; part < pack.versions.size(); ++part)
      if (pack.weight.parameters[part] == parameter) pack.versions[part] = parameters.version(parameter);
}

PackedWeights::Place PackedWeights::find(int parameter) const { return homes_[parameter]; }

}  // namespace cavs
