#include "execute/packs.h"

namespace cavs {

Packs::Packs(const Program& program) : packs_(program.parameters.size()) {
  for (const TypeProgram& type : program.types)
    for (const auto& direction : type.code)
      for (const Code& code : direction)
        for (const Instruction& i : code) {
          const bool both = i.kind == InstructionKind::kLinearCrossEntropy;
          const bool forward = both || i.kind == InstructionKind::kMatmul;
          const bool transposed = both ? i.dx >= 0 : i.kind == InstructionKind::kMatmulTransposed;
          if (!forward && !transposed) continue;
          const Shape& shape = program.parameters[i.parameter].shape;
          Pack& pack = packs_[i.parameter];
          if (forward && !pack.forward)
            pack.forward = std::make_unique<cpu::PackedWeight>(shape.dims[0], shape.dims[1]);
          if (transposed && !pack.transposed)
            pack.transposed = std::make_unique<cpu::PackedWeight>(shape.dims[1], shape.dims[0]);
        }
}

namespace {

void pack_share(cpu::PackedWeight* pack, const float* values, bool transposed, int worker, int workers) {
  if (pack != nullptr)
    pack->pack(0, values, transposed, pack->units() * worker / workers, pack->units() * (worker + 1) / workers);
}

}  // namespace

bool Packs::stale(const Parameters& parameters) const {
  for (std::size_t p = 0; p < packs_.size(); ++p)
    if ((packs_[p].forward || packs_[p].transposed) && packs_[p].version != parameters.version(static_cast<int>(p)))
      return true;
  return false;
}

void Packs::refresh(const Parameters& parameters, int worker, int workers) {
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    if (packs_[p].version == parameters.version(static_cast<int>(p))) continue;
    const float* values = parameters.values(static_cast<int>(p)).data();
    pack_share(packs_[p].forward.get(), values, false, worker, workers);
    pack_share(packs_[p].transposed.get(), values, true, worker, workers);
  }
}

void Packs::mark_fresh(const Parameters& parameters) {
  for (std::size_t p = 0; p < packs_.size(); ++p) packs_[p].version = parameters.version(static_cast<int>(p));
}

}  // namespace cavs
