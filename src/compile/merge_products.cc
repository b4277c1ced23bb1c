#include "compile/merge_products.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

std::int32_t narrowest(const std::vector<Operand>& outs) {
  std::int32_t width = outs[0].width;
  for (const Operand& out : outs) width = std::min(width, out.width);
  return width;
}

/// True if results of these widths can be divided into gates of width `gate` without expensive padding.
bool fits(std::int32_t gate, const std::vector<Operand>& outs, std::int32_t slice) {
  return std::all_of(outs.begin(), outs.end(), [&](const Operand& out) {
    return out.width == gate || (out.width % gate == 0 && gate % slice == 0);
  });
}

bool mergeable(const Instruction& a, const Instruction& b, std::int32_t slice) {
  if (!b.is<Matmul>() || a.domain != b.domain || a.level != b.level) return false;
  if (a.as<Matmul>()->transposed != b.as<Matmul>()->transposed) return false;
  const bool share = std::any_of(
      a.in.begin(), a.in.end(), [&](const Operand& x) { return std::find(b.in.begin(), b.in.end(), x) != b.in.end(); });
  std::vector<Operand> outs = a.out;
  outs.insert(outs.end(), b.out.begin(), b.out.end());
  return share && fits(narrowest(outs), outs, slice);
}

/// Sets Factor::add: the first factor of each result overwrites the result, and later factors add to it.
void order_sums(Instruction& i) {
  std::vector<char> written(i.out.size(), 0);
  for (Factor& factor : i.as<Matmul>()->factors)
    for (std::size_t p = 0; p < factor.outs.size(); ++p) {
      factor.add[p] = written[factor.outs[p]];
      written[factor.outs[p]] = 1;
    }
}

/// True if each result's terms are still added in the same order, or if it has two, whose order changes no bit.
bool keeps_order(const Matmul& product, const Factor& factor, std::size_t last, std::size_t into) {
  return into >= last || std::all_of(factor.outs.begin(), factor.outs.end(), [&](std::int32_t out) {
           int terms = 0;
           for (const Factor& other : product.factors) terms += std::count(other.outs.begin(), other.outs.end(), out);
           return terms <= 2;
         });
}

bool has_result_of(const Factor& a, const Factor& b) {
  return std::any_of(a.outs.begin(), a.outs.end(),
                     [&](std::int32_t out) { return std::find(b.outs.begin(), b.outs.end(), out) != b.outs.end(); });
}

void absorb(Instruction& to, Instruction&& from) {
  const auto first = static_cast<std::int32_t>(to.out.size());
  const std::size_t known = to.in.size();
  to.out.insert(to.out.end(), from.out.begin(), from.out.end());
  to.values.insert(to.values.end(), from.values.begin(), from.values.end());
  to.flops_per_row += from.flops_per_row;
  Matmul &sums = *to.as<Matmul>(), &more = *from.as<Matmul>();
  for (Factor& factor : more.factors)
    for (std::int32_t& out : factor.outs) out += first;
  std::size_t last = 0;
  for (std::size_t k = 0; k < from.in.size(); ++k) {
    Factor& factor = more.factors[k];
    const auto end = to.in.begin() + static_cast<std::ptrdiff_t>(known);
    const auto same = static_cast<std::size_t>(std::find(to.in.begin(), end, from.in[k]) - to.in.begin());
    // If one factor had two terms of the same result, the second term would read what the first has not written yet.
    if (same == known || has_result_of(factor, sums.factors[same]) || !keeps_order(more, factor, last, same)) {
      last = to.in.size();
      to.in.push_back(from.in[k]);
      sums.factors.push_back(factor);
      continue;
    }
    Factor& into = sums.factors[last = same];
    into.parameters.insert(into.parameters.end(), factor.parameters.begin(), factor.parameters.end());
    into.outs.insert(into.outs.end(), factor.outs.begin(), factor.outs.end());
    into.add.insert(into.add.end(), factor.add.begin(), factor.add.end());
  }
  order_sums(to);
}

bool same_storage(const Operand& a, const Operand& b) { return a.kind == b.kind && a.id == b.id && a.site == b.site; }

bool reads(const Instruction& reader, const Instruction& product) {
  return std::any_of(reader.in.begin(), reader.in.end(), [&](const Operand& x) {
    return std::any_of(product.out.begin(), product.out.end(), [&](const Operand& y) { return same_storage(x, y); });
  });
}

/// Sets the gate width of a product: the width of the narrowest result, or of a narrower loop that reads a result.
void find_gate(const Code& code, Instruction& product, std::int32_t slice) {
  const std::int32_t width = narrowest(product.out);
  std::int32_t gate = width;
  each_instruction(code, [&](const Instruction& reader) {
    if (reader.is<Elementwise>() && reads(reader, product)) gate = std::min(gate, reader.out[0].width);
  });
  product.as<Matmul>()->gate = fits(gate, product.out, slice) ? gate : width;
}

/// True if a worker that computes its share of `next` reads only results of `product` that it has computed itself.
bool may_follow(const Instruction& next, const Instruction& product, std::int32_t most_gates) {
  const std::int32_t gate = product.as<Matmul>()->gate;
  if (next.domain != product.domain || next.free_columns != gate) return false;
  std::int32_t gates = 0;
  for (const Operand& y : product.out) gates += y.width / gate;
  bool own = gates <= most_gates, any = false;
  each_instruction({&next, 1}, [&](const Instruction& i) {
    for (const Operand& x : i.in)
      for (const Operand& y : product.out)
        if (same_storage(x, y)) {
          any = true;
          own = own && x.index < 0 && x.width == gate && (x.column - y.column) % gate == 0;
        }
  });
  return any && own;
}

bool alone_on_level(const Code& code, std::size_t i) {
  return (i == 0 || code[i - 1].level != code[i].level) && (i + 1 == code.size() || code[i + 1].level != code[i].level);
}

}  // namespace

void merge_products(Code& code, std::int32_t slice_columns) {
  for (std::size_t a = 0; a < code.size(); ++a) {
    if (!code[a].is<Matmul>()) continue;
    for (std::size_t b = a + 1; b < code.size();) {
      if (!mergeable(code[a], code[b], slice_columns)) {
        ++b;
        continue;
      }
      absorb(code[a], std::move(code[b]));
      code.erase(code.begin() + static_cast<std::ptrdiff_t>(b));
      b = a + 1;  // `a` has more inputs now, so products that did not match before may match
    }
  }
  for (Instruction& i : code)
    if (i.is<Matmul>()) find_gate(code, i, slice_columns);
}

void fuse_product_into_group(Code& code, const Target& target) {
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    Instruction &product = code[i], &next = code[i + 1];
    if (!product.is<Matmul>() || !alone_on_level(code, i) || !alone_on_level(code, i + 1)) continue;
    if (!may_follow(next, product, target.most_gates)) continue;
    if (!next.is<RowGroup>()) {
      Instruction alone = std::move(next);
      next = {.kind = RowGroup{}, .domain = alone.domain, .free_columns = alone.free_columns, .widths = alone.widths};
      next.as<RowGroup>()->members.push_back(std::move(alone));
    }
    next.barrier = product.barrier;
    next.level = product.level;
    auto& group = *next.as<RowGroup>();
    group.product_units = (product.as<Matmul>()->gate + target.slice_columns - 1) / target.slice_columns;
    group.members.insert(group.members.begin(), std::move(product));
    code.erase(code.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::int32_t weight_id(Program& program, const Weight& weight) {
  const auto it = std::find(program.weights.begin(), program.weights.end(), weight);
  if (it != program.weights.end()) return static_cast<std::int32_t>(it - program.weights.begin());
  program.weights.push_back(weight);
  return static_cast<std::int32_t>(program.weights.size()) - 1;
}

void assign_weight_ids(Program& program, Code& code) {
  for (Instruction& i : code) {
    if (auto* product = i.as<Matmul>())
      for (Factor& factor : product->factors)
        factor.weight = weight_id(program, {factor.parameters, product->transposed, product->gate});
    if (auto* group = i.as<RowGroup>()) assign_weight_ids(program, group->members);
  }
}

}  // namespace cavs::inline v0_1
