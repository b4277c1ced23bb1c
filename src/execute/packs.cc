#include "execute/packs.h"

#include "execute/work_share.h"

namespace cavs {

Packs::Packs(const Program& program, cpu::Precision precision) {
  for (const Weight& weight : program.weights) {
    const int rows = weight.transposed ? 1 : 0, columns = 1 - rows;
    std::vector<int> widths;
    for (std::int32_t p : weight.parameters) widths.push_back(program.parameters[p].shape.dims[columns]);
    const int k = program.parameters[weight.parameters[0]].shape.dims[rows];
    packs_.push_back({weight, {k, widths, weight.gate, precision}, std::vector(widths.size(), ~std::uint64_t{0})});
  }
}

bool Packs::stale(const Parameters& parameters) const {
  for (const Pack& pack : packs_)
    for (std::size_t part = 0; part < pack.versions.size(); ++part)
      if (pack.versions[part] != parameters.version(pack.weight.parameters[part])) return true;
  return false;
}

void Packs::refresh(const Parameters& parameters, int worker, int workers) {
  for (Pack& pack : packs_)
    for (std::size_t part = 0; part < pack.versions.size(); ++part) {
      const int p = pack.weight.parameters[part];
      if (pack.versions[part] == parameters.version(p)) continue;
      const auto [begin, end] = cavs::part(0, parameters.info(p).shape.dims[0], worker, workers, cpu::kSlice);
      pack.packed.pack(static_cast<int>(part), parameters.values(p).data(), pack.weight.transposed, begin, end);
    }
}

void Packs::renew_rows(const Parameters& parameters, int parameter, std::int32_t begin, std::int32_t end) {
  for (Pack& pack : packs_)
    for (std::size_t part = 0; part < pack.versions.size(); ++part)
      if (pack.weight.parameters[part] == parameter)
        pack.packed.pack(static_cast<int>(part), parameters.values(parameter).data(), pack.weight.transposed, begin,
                         end);
}

void Packs::mark_fresh(const Parameters& parameters) {
  for (Pack& pack : packs_)
    for (std::size_t part = 0; part < pack.versions.size(); ++part)
      pack.versions[part] = parameters.version(pack.weight.parameters[part]);
}

}  // namespace cavs
