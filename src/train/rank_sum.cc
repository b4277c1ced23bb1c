#include "train/rank_sum.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int64_t kAlignment = 16;  // floats of a cache line

std::int64_t middle(RankSum::Range of) {
  return of.begin + static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(of.size() - 1)));
}

/// The largest subtrees of `tree` that are within `share`, in order.
void add_subtrees(RankSum::Range tree, RankSum::Range share, std::vector<RankSum::Range>& to) {
  if (share.end <= tree.begin || tree.end <= share.begin) return;
  if (share.begin <= tree.begin && tree.end <= share.end) return to.push_back(tree);
  add_subtrees({tree.begin, middle(tree)}, share, to);
  add_subtrees({middle(tree), tree.end}, share, to);
}

template <typename T>
std::span<T> typed(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace

RankSum::RankSum(Job& job, std::span<const char> frozen, Gradients& total, bool adds_absent_rows)
    : job_(job), total_(total), adds_absent_rows_(adds_absent_rows), roots_of_(job.ranks()) {
  for (std::size_t p = 0; p < total.size(); ++p) {
    const ParameterInfo& info = (*total.list())[p];
    if (!frozen.empty() && frozen[p] != 0) continue;
    if (info.table)
      tables_.push_back({p, info.shape.dims[0], info.shape.dims[1]});
    else
      dense_.push_back(p), dense_size_ += info.shape.size();
  }
}

void RankSum::begin(std::int64_t minibatches) {
  minibatches_ = minibatches;
  for (int r = 0; r < job_.ranks(); ++r) {
    roots_of_[r].clear();
    add_subtrees({0, minibatches}, share_of(minibatches, r, job_.ranks()), roots_of_[r]);
  }
  losses_.clear();
  parts_.clear();
}

std::int64_t RankSum::slice_begin(int owner) const {
  if (owner == job_.ranks()) return dense_size_;
  return dense_size_ / kAlignment * owner / job_.ranks() * kAlignment;
}

std::size_t RankSum::part_bytes(int owner, std::span<const std::int32_t> counts) const {
  std::size_t numbers = slice_begin(owner + 1) - slice_begin(owner);
  for (std::size_t t = 0; t < tables_.size(); ++t) numbers += counts[t] * (1 + tables_[t].width);
  return numbers * sizeof(float);
}

RankSum::Part RankSum::make_part(int owner, Range range, std::vector<std::int32_t> counts) const {
  Part part{range, std::move(counts), {}};
  part.bytes.resize(part_bytes(owner, part.counts));
  return part;
}

std::span<float> RankSum::dense(const Part& part, int owner) const {
  auto* const bytes = const_cast<std::byte*>(part.bytes.data());
  return typed<float>({bytes, sizeof(float) * static_cast<std::size_t>(slice_begin(owner + 1) - slice_begin(owner))});
}

std::byte* RankSum::table_begin(const Part& part, int owner, std::size_t table) const {
  auto* const bytes = const_cast<std::byte*>(part.bytes.data());
  std::size_t numbers = slice_begin(owner + 1) - slice_begin(owner);
  for (std::size_t t = 0; t < table; ++t) numbers += part.counts[t] * (1 + tables_[t].width);
  return bytes + numbers * sizeof(float);
}

std::span<std::int32_t> RankSum::rows(const Part& part, int owner, std::size_t table) const {
  return typed<std::int32_t>({table_begin(part, owner, table), sizeof(std::int32_t) * part.counts[table]});
}

std::span<float> RankSum::values(const Part& part, int owner, std::size_t table) const {
  const std::size_t count = part.counts[table];
  return typed<float>({table_begin(part, owner, table) + sizeof(std::int32_t) * count,
                       sizeof(float) * count * static_cast<std::size_t>(tables_[table].width)});
}

/// Calls f(gradient, at) for the pieces of dense gradients that are numbers [begin, end) of all of them.
template <typename F>
void RankSum::for_dense(std::int64_t begin, std::int64_t end, F f) const {
  std::int64_t first = 0;
  for (const std::size_t p : dense_) {
    const std::int64_t size = (*total_.list())[p].shape.size();
    const std::int64_t from = std::max(begin, first), to = std::min(end, first + size);
    if (from < to) f(p, from - first, to - from, from - begin);
    first += size;
  }
}

/// Copies what each owner gets. Row r of a table is owned by rank r mod ranks: frequent words have low numbers.
void RankSum::add_subtree() {
  const int ranks = job_.ranks();
  std::vector<Part> parts;
  std::vector<std::vector<std::vector<std::int32_t>>> rows_of(ranks,
                                                              std::vector<std::vector<std::int32_t>>(tables_.size()));
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::vector<std::int32_t> listed = total_.table_rows[tables_[t].parameter];
    std::ranges::sort(listed);
    for (const std::int32_t row : listed) rows_of[row % ranks][t].push_back(row);
  }
  for (int owner = 0; owner < ranks; ++owner) {
    std::vector<std::int32_t> counts;
    for (const auto& of_table : rows_of[owner]) counts.push_back(static_cast<std::int32_t>(of_table.size()));
    Part part = make_part(owner, subtrees()[parts_.size()], std::move(counts));
    const std::span<float> slice = dense(part, owner);
    for_dense(slice_begin(owner), slice_begin(owner + 1), [&](std::size_t p, auto from, auto count, auto to) {
      std::ranges::copy(std::as_const(total_).values(p).subspan(from, count), slice.begin() + to);
    });
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      std::ranges::copy(rows_of[owner][t], rows(part, owner, t).begin());
      auto to = values(part, owner, t).begin();
      const std::span<const float> from = std::as_const(total_).values(tables_[t].parameter);
      for (const std::int32_t row : rows_of[owner][t])
        to = std::ranges::copy(from.subspan(row * tables_[t].width, tables_[t].width), to).out;
    }
    parts.push_back(std::move(part));
  }
  parts_.push_back(std::move(parts));
}

RankSum::Losses RankSum::meet(const std::string& where) {
  const std::size_t loss_bytes = losses_.size() * sizeof(Losses);
  std::vector<std::int32_t> counts;
  for (const std::vector<Part>& owners : parts_)
    for (const Part& part : owners) counts.insert(counts.end(), part.counts.begin(), part.counts.end());
  std::vector<std::byte> mine(loss_bytes + counts.size() * sizeof(std::int32_t));
  std::ranges::copy(std::as_bytes(std::span(losses_)), mine.begin());
  std::ranges::copy(std::as_bytes(std::span(counts)), mine.begin() + static_cast<std::ptrdiff_t>(loss_bytes));
  const std::vector<std::vector<std::byte>> all = job_.meet(where, mine);

  Losses sum;
  counts_of_.assign(job_.ranks(), {});
  for (int r = 0; r < job_.ranks(); ++r) {
    const auto share = static_cast<std::size_t>(share_of(minibatches_, r, job_.ranks()).size());
    const std::size_t owned = roots_of_[r].size() * job_.ranks() * tables_.size();
    user_check(all[r].size() == share * sizeof(Losses) + owned * sizeof(std::int32_t),
               "{} sent {} bytes in {}; expected {}", job_.name(r), all[r].size(), where,
               share * sizeof(Losses) + owned * sizeof(std::int32_t));
    for (std::size_t m = 0; m < share; ++m) {
      Losses of;
      std::memcpy(&of, all[r].data() + m * sizeof of, sizeof of);
      sum.loss += of.loss, sum.labels += of.labels;
    }
    counts_of_[r].resize(owned);
    if (owned > 0)
      std::memcpy(counts_of_[r].data(), all[r].data() + share * sizeof(Losses), owned * sizeof(std::int32_t));
    for (std::size_t i = 0; i < owned; ++i)
      user_check(counts_of_[r][i] >= 0 && counts_of_[r][i] <= tables_[i % tables_.size()].rows,
                 "{} announces {} rows of a table of {} in {}", job_.name(r), counts_of_[r][i],
                 tables_[i % tables_.size()].rows, where);
  }
  return sum;
}

void RankSum::finish() {
  std::vector<Part> parts = receive_parts();
  auto next = parts.begin();
  send_to_all(sum(next, {0, minibatches_}));
}

/// What this rank owns, of all subtrees in order.
std::vector<RankSum::Part> RankSum::receive_parts() {
  const int me = job_.rank(), ranks = job_.ranks();
  std::vector<Part> mine;
  std::vector<int> senders;
  for (int r = 0; r < ranks; ++r)
    for (std::size_t root = 0; root < roots_of_[r].size(); ++root) {
      const auto at = counts_of_[r].begin() + static_cast<std::ptrdiff_t>((root * ranks + me) * tables_.size());
      mine.push_back(r == me ? std::move(parts_[root][me])
                             : make_part(me, roots_of_[r][root], {at, at + std::ssize(tables_)}));
      senders.push_back(r);
    }
  std::vector<Message> sends, receives;
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (senders[i] != me) receives.push_back({senders[i], mine[i].bytes});
  for (std::vector<Part>& owners : parts_)
    for (int r = 0; r < ranks; ++r)
      if (r != me) sends.push_back({r, owners[r].bytes});
  job_.exchange(std::move(sends), std::move(receives));
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (senders[i] != me) check_rows(mine[i], me, senders[i]);
  return mine;
}

/// @throws UserError unless these are ascending rows of the tables, all of the owner's
void RankSum::check_rows(const Part& part, int owner, int sender) const {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::int32_t last = -1;
    for (const std::int32_t row : rows(part, owner, t)) {
      user_check(row > last && row < tables_[t].rows && row % job_.ranks() == owner,
                 "{} sent row {} of parameter '{}' after row {}; expected ascending rows of {}, below {}",
                 job_.name(sender), row, (*total_.list())[tables_[t].parameter].name, last, job_.name(owner),
                 tables_[t].rows);
      last = row;
    }
  }
}

RankSum::Part RankSum::sum(std::vector<Part>::iterator& next, Range range) const {
  if (next->range.begin == range.begin && next->range.end == range.end) return std::move(*next++);
  Part first = sum(next, {range.begin, middle(range)});
  return merge(std::move(first), sum(next, {middle(range), range.end}));
}

RankSum::Part RankSum::merge(Part a, const Part& b) const {
  const int me = job_.rank();
  std::vector<std::vector<std::int32_t>> all(tables_.size());
  std::vector<std::int32_t> counts;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::ranges::set_union(rows(a, me, t), rows(b, me, t), std::back_inserter(all[t]));
    counts.push_back(static_cast<std::int32_t>(all[t].size()));
  }
  Part to = make_part(me, {a.range.begin, b.range.end}, std::move(counts));
  std::ranges::transform(dense(a, me), dense(b, me), dense(to, me).begin(), std::plus());
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::ranges::copy(all[t], rows(to, me, t).begin());
    const auto a_rows = rows(a, me, t), b_rows = rows(b, me, t);
    const float *x = values(a, me, t).data(), *y = values(b, me, t).data();
    float* out = values(to, me, t).data();
    const std::int64_t width = tables_[t].width;
    std::size_t i = 0, j = 0;
    for (const std::int32_t row : all[t]) {
      const bool has_x = i < a_rows.size() && a_rows[i] == row, has_y = j < b_rows.size() && b_rows[j] == row;
      if (has_x && has_y)
        std::transform(x, x + width, y, out, std::plus());
      else if (adds_absent_rows_)
        std::transform(has_x ? x : y, (has_x ? x : y) + width, out, [](float value) { return value + 0.0F; });
      else
        std::copy_n(has_x ? x : y, width, out);
      if (has_x) ++i, x += width;
      if (has_y) ++j, y += width;
      out += width;
    }
  }
  return to;
}

void RankSum::send_to_all(const Part& mine) {
  const int me = job_.rank(), ranks = job_.ranks();
  std::vector<Part> of(ranks);
  std::vector<Message> sends, receives;
  for (int r = 0; r < ranks; ++r) {
    of[r].counts = r == me ? mine.counts : std::vector<std::int32_t>(tables_.size());
    if (r == me) continue;
    sends.push_back({r, std::as_writable_bytes(std::span(of[me].counts))});
    receives.push_back({r, std::as_writable_bytes(std::span(of[r].counts))});
  }
  of[me] = mine;
  for (Message& m : sends) m.bytes = std::as_writable_bytes(std::span(of[me].counts));
  job_.exchange(std::move(sends), std::move(receives));
  sends.clear(), receives.clear();
  for (int r = 0; r < ranks; ++r) {
    if (r == me) continue;
    for (std::size_t t = 0; t < tables_.size(); ++t)
      user_check(of[r].counts[t] >= 0 && of[r].counts[t] <= tables_[t].rows, "{} announces {} rows of a table of {}",
                 job_.name(r), of[r].counts[t], tables_[t].rows);
    of[r] = make_part(r, {0, minibatches_}, std::move(of[r].counts));
    sends.push_back({r, of[me].bytes}), receives.push_back({r, of[r].bytes});
  }
  job_.exchange(std::move(sends), std::move(receives));
  for (int r = 0; r < ranks; ++r)
    if (r != me) check_rows(of[r], r, r);
  copy_to_total(of);
}

void RankSum::copy_to_total(const std::vector<Part>& of) {
  for (int r = 0; r < job_.ranks(); ++r)
    for_dense(slice_begin(r), slice_begin(r + 1), [&](std::size_t p, auto to, auto count, auto from) {
      std::ranges::copy(dense(of[r], r).subspan(from, count), total_.values(p).begin() + to);
    });
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const auto [parameter, unused, width] = tables_[t];
    std::vector<std::int32_t>& listed = total_.table_rows[parameter];
    const std::span<float> to = total_.values(parameter);
    for (const std::int32_t row : listed) std::fill_n(to.begin() + row * width, width, 0.0F);
    listed.clear();
    for (int r = 0; r < job_.ranks(); ++r) {
      const float* from = values(of[r], r, t).data();
      for (const std::int32_t row : rows(of[r], r, t)) {
        std::copy_n(from, width, to.begin() + row * width);
        listed.push_back(row);
        from += width;
      }
    }
    std::ranges::sort(listed);
  }
}

}  // namespace cavs::inline v0_1
