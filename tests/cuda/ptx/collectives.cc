#include "cuda/matrix_fragments.h"
#include "cuda/ptx/decoder.h"
#include "cuda/ptx/machine.h"

// PTX instructions that all lanes of a warp execute together, and moves that pack and unpack registers.

namespace cavs::cuda::ptx {
namespace {

/// "shfl.sync.bfly" of the PTX manual. Operands: destination [, predicate], source, bits of the lane number that are
/// flipped, bounds, mask of the participating lanes.
void shuffle(Step& s, const Instruction& i) {
  const int in = i.outs;
  const std::uint32_t* const from = s.at<std::uint32_t>(i, in);
  const std::uint32_t *const by = s.at<std::uint32_t>(i, in + 1), *const bounds = s.at<std::uint32_t>(i, in + 2);
  std::array<std::uint32_t, kLanes> made{};
  Mask found = 0;
  for (int l = 0; l < kLanes; ++l) {
    if (!s.has(l)) continue;
    const int clamp = static_cast<int>(bounds[l] & 0x1F), segment = static_cast<int>(bounds[l] >> 8 & 0x1F);
    const int last = (l & segment) | (clamp & ~segment);
    const int other = l ^ static_cast<int>(by[l] & 0x1F), source = other <= last ? other : l;
    if (other <= last) found |= Mask{1} << l;
    if (!s.has(source))
      fault(FaultKind::kUndefined, "{}: lane {} reads lane {}, which does not take part", s.kernel.at(s.pc), l, source);
    made[l] = from[source];
  }
  std::uint32_t* const to = s.at<std::uint32_t>(i, 0);
  for (int l = 0; l < kLanes; ++l)
    if (s.has(l)) to[l] = made[l];
  if (i.outs == 2) s.set_predicate(s.operand(i, 1), found);
}

/// Matrix product d = a b + c. Operands: d, a, b, c.
template <auto kAddProduct>
void mma(Step& s, const Instruction& i) {
  MatrixFactors factors[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    for (int q = 0; q < 4; ++q) factors[l].a[q] = s.at<std::uint32_t>(i, 4 + q)[l];
    for (int q = 0; q < 2; ++q) factors[l].b[q] = s.at<std::uint32_t>(i, 8 + q)[l];
  }
  for (int l = 0; l < kLanes; ++l) {
    float sums[4];
    for (int q = 0; q < 4; ++q) sums[q] = s.at<float>(i, 10 + q)[l];
    kAddProduct(factors, l, sums);
    for (int q = 0; q < 4; ++q) s.at<float>(i, q)[l] = sums[q];
  }
}

/// Packs parts into one register, or unpacks one register.
template <typename Whole, typename Part>
void pack(Step& s, const Instruction& i) {
  for (int l = 0; l < kLanes; ++l) {
    if (!s.has(l)) continue;
    std::uint64_t whole = 0;
    for (int k = 0; k < i.ins; ++k)
      whole |= static_cast<std::uint64_t>(s.at<Part>(i, 1 + k)[l]) << (8 * sizeof(Part) * static_cast<unsigned>(k));
    s.at<Whole>(i, 0)[l] = static_cast<Whole>(whole);
  }
}
template <typename Whole, typename Part>
void unpack(Step& s, const Instruction& i) {
  for (int l = 0; l < kLanes; ++l) {
    if (!s.has(l)) continue;
    const std::uint64_t whole = s.at<Whole>(i, i.outs)[l];
    for (int k = 0; k < i.outs; ++k)
      s.at<Part>(i, k)[l] = static_cast<Part>(whole >> (8 * sizeof(Part) * static_cast<unsigned>(k)));
  }
}

std::vector<std::string> in_braces(const std::string& operand) {
  return split_operands(std::string_view(operand).substr(1, operand.size() - 2));
}

bool decode_pack(Decoder& decoder, const Statement& s, Instruction& i) {
  if ((s.opcode != "mov.b64" && s.opcode != "mov.b32") || s.operands.size() != 2) return false;
  const bool packs = s.operands[1].starts_with('{'), unpacks = s.operands[0].starts_with('{');
  if (!packs && !unpacks) return false;
  const std::size_t whole = s.opcode == "mov.b64" ? 8 : 4;
  const std::vector<std::string> parts = in_braces(s.operands[packs ? 1 : 0]);
  const std::size_t part = parts.empty() ? 0 : whole / parts.size();
  if (part * parts.size() != whole || (part != 2 && part != 4)) Decoder::unknown(s);
  if (packs) {
    decoder.writes(i, s.operands[0], whole);
    for (const std::string& p : parts) decoder.reads(i, p, part);
    i.run = whole == 4  ? pack<std::uint32_t, std::uint16_t>
            : part == 4 ? pack<std::uint64_t, std::uint32_t>
                        : pack<std::uint64_t, std::uint16_t>;
  } else {
    for (const std::string& p : parts) decoder.writes(i, p, part);
    decoder.reads(i, s.operands[1], whole);
    i.run = whole == 4  ? unpack<std::uint32_t, std::uint16_t>
            : part == 4 ? unpack<std::uint64_t, std::uint32_t>
                        : unpack<std::uint64_t, std::uint16_t>;
  }
  return true;
}

bool decode_shuffle(Decoder& decoder, const Statement& s, Instruction& i) {
  if (s.opcode != "shfl.sync.bfly.b32") return false;
  if (s.operands.size() != 5) Decoder::unknown(s);
  const std::size_t bar = s.operands[0].find('|');
  decoder.writes(i, s.operands[0].substr(0, bar), 4);
  if (bar != std::string::npos) decoder.writes(i, s.operands[0].substr(bar + 1), 0);
  for (std::size_t k = 1; k < 5; ++k) decoder.reads(i, s.operands[k], 4);
  i.run = shuffle;
  i.flow = Flow::kCollective;
  i.mask = static_cast<std::uint8_t>(i.outs + 3);
  return true;
}

bool decode_mma(Decoder& decoder, const Statement& s, Instruction& i) {
  const bool is_tf32 = s.opcode == "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32";
  if (!is_tf32 && s.opcode != "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32") return false;
  if (s.operands.size() != 4) Decoder::unknown(s);
  constexpr std::size_t kRegisters[] = {4, 4, 2, 4};
  for (std::size_t k = 0; k < 4; ++k) {
    const std::vector<std::string> registers = in_braces(s.operands[k]);
    if (registers.size() != kRegisters[k]) Decoder::wrong(s, "4, 4, 2 and 4 registers are expected");
    for (const std::string& r : registers) k == 0 ? decoder.writes(i, r, 4) : decoder.reads(i, r, 4);
  }
  i.run = is_tf32 ? mma<add_product_tf32> : mma<add_product>;
  i.flow = Flow::kCollective;
  return true;
}

}  // namespace

bool decode_collective(Decoder& decoder, const Statement& s, Instruction& i) {
  if (decode_pack(decoder, s, i) || decode_shuffle(decoder, s, i) || decode_mma(decoder, s, i)) return true;
  if (s.opcode == "bar.sync" || s.opcode == "barrier.sync.aligned") {
    for (const std::string& operand : s.operands) decoder.reads(i, operand, 4);
    i.flow = Flow::kBlockBarrier;
    return true;
  }
  if (s.opcode == "bar.warp.sync") {
    decoder.reads(i, s.operands.at(0), 4);
    i.mask = 0;
    i.flow = Flow::kWarpBarrier;
    return true;
  }
  return false;
}

}  // namespace cavs::cuda::ptx
