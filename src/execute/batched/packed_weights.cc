#include "execute/batched/packed_weights.h"

#include <algorithm>

#include "share/work_share.h"
#include "tensor/parameters_access.h"

namespace cavs::inline v0_1 {

PackedWeights::PackedWeights(const Program& program, cpu::Precision precision) {
  for (const Weight& weight : program.weights)
    packs_.push_back(
        {weight, make_pack(program, weight, precision), std::vector(weight.parameters.size(), ~std::uint64_t{0})});
  place();
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

cpu::PackedWeight PackedWeights::make_pack(const Program& program, const Weight& weight, cpu::Precision precision) {
  const int rows = weight.transposed ? 1 : 0, columns = 1 - rows;
  std::vector<int> widths;
  for (std::int32_t p : weight.parameters) widths.push_back(program.parameters[p].shape.dims[columns]);
  const int k = program.parameters[weight.parameters[0]].shape.dims[rows];
  return cpu::PackedWeight::without_memory(k, widths, weight.gate, precision);
}

void PackedWeights::place() {
  std::int64_t size = 0;
  for (const Pack& pack : packs_) size += pack.packed.size();
  memory_ = cpu::aligned_floats(static_cast<std::size_t>(size));
  float* to = memory_.get();
  for (Pack& pack : packs_) {
    pack.packed.lie_at(to);
    to += pack.packed.size();
  }
}

bool PackedWeights::stale(const Parameters& parameters) const {
  bool any = false;
  for (const Pack& pack : packs_)
    for (std::size_t part = 0; part < pack.versions.size(); ++part) {
      const int p = pack.weight.parameters[part];
      if (pack.versions[part] == parameters.version(p)) continue;
      parameters.values(p);
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

void PackedWeights::renew_strip(int parameter, const float* strip, int row_begin, int row_end, int column) {
  for (const Place& place : others_[parameter]) {
    Pack& pack = packs_[place.weight];
    if (!pack.weight.transposed) {
      std::copy_n(strip, (row_end - row_begin) * cpu::kSlice, pack.packed.square(place.part, row_begin, column));
      continue;
    }
    const float* square = strip;
    for (int row = row_begin; row < row_end; row += cpu::kSlice, square += cpu::kSlice * cpu::kSlice)
      cpu::transpose_square(square, pack.packed.square(place.part, column, row));
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

}  // namespace cavs::inline v0_1
