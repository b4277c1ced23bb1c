#include "train/piece_sum.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "support/check.h"

namespace cavs::inline v0_1 {

namespace {

constexpr std::int64_t kAlignment = 16;  // floats per cache line; slices begin at multiples

template <typename T>
std::span<T> typed(std::byte* begin, std::int64_t count) {
  return {reinterpret_cast<T*>(begin), static_cast<std::size_t>(count)};
}

}  // namespace

PieceSum::PieceSum(Job& job, const RankShares& shares, Gradients& total, std::vector<std::size_t> dense,
                   std::vector<Table> tables, bool adds_absent_rows)
    : job_(job),
      shares_(shares),
      total_(total),
      dense_(std::move(dense)),
      tables_(std::move(tables)),
      adds_absent_rows_(adds_absent_rows) {
  for (const std::size_t p : dense_) whole_.end += (*total.list())[p].shape.size();
}

PieceSum::Slice PieceSum::slice_of(const Slice& whole, int member, int members) {
  const std::int64_t lines = (whole.end - whole.begin) / kAlignment;
  const auto begin = [&](std::int64_t m) {
    return m == members ? whole.end : whole.begin + lines * m / members * kAlignment;
  };
  return {begin(member), begin(member + 1), whole.modulus * members, whole.residue + whole.modulus * member};
}

/// Returns a rank's slice. Ranks get the rows of a table in turn, because frequent words have low row numbers.
PieceSum::Slice PieceSum::owned_by(int rank) const {
  return slice_of(slice_of(whole_, rank % shares_.per_host, shares_.per_host), rank / shares_.per_host,
                  job_.ranks() / shares_.per_host);
}

PieceSum::Group PieceSum::host_group() const {
  Group group{{}, job_.rank() % shares_.per_host};
  for (int r = 0; r < shares_.per_host; ++r) group.ranks.push_back(job_.rank() - group.me + r);
  return group;
}

/// Returns this rank, and on each other host the rank that has the same slice of its host's sum.
PieceSum::Group PieceSum::group_across_hosts() const {
  Group group{{}, job_.rank() / shares_.per_host};
  for (int r = job_.rank() % shares_.per_host; r < job_.ranks(); r += shares_.per_host) group.ranks.push_back(r);
  return group;
}

PieceSum::Part PieceSum::make_part(Range range, const Slice& slice, std::vector<std::int32_t> counts) const {
  std::int64_t numbers = slice.end - slice.begin;
  for (std::size_t t = 0; t < tables_.size(); ++t) numbers += counts[t] * (1 + tables_[t].width);
  Part part{range, slice, std::move(counts), {}};
  part.bytes.resize(static_cast<std::size_t>(numbers) * sizeof(float));
  return part;
}

std::span<float> PieceSum::numbers(Part& part) {
  return typed<float>(part.bytes.data(), part.slice.end - part.slice.begin);
}

std::byte* PieceSum::table_begin(Part& part, std::size_t table) const {
  std::int64_t numbers = part.slice.end - part.slice.begin;
  for (std::size_t t = 0; t < table; ++t) numbers += part.counts[t] * (1 + tables_[t].width);
  return part.bytes.data() + static_cast<std::size_t>(numbers) * sizeof(float);
}

std::span<std::int32_t> PieceSum::rows(Part& part, std::size_t table) const {
  return typed<std::int32_t>(table_begin(part, table), part.counts[table]);
}

std::span<float> PieceSum::values(Part& part, std::size_t table) const {
  const std::int64_t count = part.counts[table];
  return typed<float>(table_begin(part, table) + count * static_cast<std::int64_t>(sizeof(std::int32_t)),
                      count * tables_[table].width);
}

/// Calls f(parameter, first element, count, offset in the slice) for each part of a dense gradient that is in a slice.
template <typename F>
void PieceSum::for_dense(const Slice& slice, F f) const {
  std::int64_t first = 0;
  for (const std::size_t p : dense_) {
    const std::int64_t size = (*total_.list())[p].shape.size();
    const std::int64_t from = std::max(slice.begin, first), to = std::min(slice.end, first + size);
    if (from < to) f(p, from - first, to - from, from - slice.begin);
    first += size;
  }
}

/// Cuts a sum into parts, one for the slice of each member of a group.
/// @param rows_of  Returns the row numbers of a table, ascending: rows_of(table).
/// @param values_of  Returns the values of a row: values_of(table, position in rows_of(table), row).
/// @param copy_dense  Copies the dense numbers of a slice: copy_dense(slice, to).
template <typename RowsOf, typename ValuesOf, typename CopyDense>
std::vector<PieceSum::Part> PieceSum::cut(Range range, const Slice& whole, int members, RowsOf rows_of,
                                          ValuesOf values_of, CopyDense copy_dense) const {
  std::vector<std::vector<std::int32_t>> counts(members, std::vector<std::int32_t>(tables_.size()));
  const auto member_of = [&](std::int32_t row) { return row / whole.modulus % members; };
  for (std::size_t t = 0; t < tables_.size(); ++t)
    for (const std::int32_t row : rows_of(t)) ++counts[member_of(row)][t];
  std::vector<Part> parts;
  for (int m = 0; m < members; ++m) {
    Part& part = parts.emplace_back(make_part(range, slice_of(whole, m, members), std::move(counts[m])));
    copy_dense(part.slice, numbers(part));
  }
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::vector<std::int32_t*> row_at;
    std::vector<float*> values_at;
    for (Part& part : parts) {
      row_at.push_back(rows(part, t).data());
      values_at.push_back(values(part, t).data());
    }
    std::size_t number = 0;
    for (const std::int32_t row : rows_of(t)) {
      const int m = member_of(row);
      *row_at[m]++ = row;
      values_at[m] = std::copy_n(values_of(t, number++, row), tables_[t].width, values_at[m]);
    }
  }
  return parts;
}

void PieceSum::add_subtree() {
  const Gradients& from = total_;
  std::vector<std::vector<std::int32_t>> rows_of;
  for (const Table& table : tables_) {
    rows_of.push_back(from.table_rows[table.parameter]);
    std::ranges::sort(rows_of.back());
  }
  parts_.push_back(cut(
      shares_.subtrees[shares_.rank][parts_.size()], whole_,
      shares_.per_host > 1 ? shares_.per_host : job_.ranks(), [&](std::size_t t) -> auto& { return rows_of[t]; },
      [&](std::size_t t, std::size_t, std::int32_t row) {
        return from.values(tables_[t].parameter).data() + row * tables_[t].width;
      },
      [&](const Slice& slice, std::span<float> to) {
        for_dense(slice, [&](std::size_t p, auto first, auto count, auto place) {
          std::ranges::copy(from.values(p).subspan(first, count), to.begin() + place);
        });
      }));
}

void PieceSum::finish() {
  const Group host = host_group(), across = group_across_hosts();
  std::vector<std::vector<Part>> slices = std::exchange(parts_, {});
  std::vector<std::vector<Range>> subtrees = shares_.subtrees;
  if (shares_.per_host > 1) {
    subtrees.clear();
    for (const int r : host.ranks) subtrees.push_back(shares_.subtrees[r]);
    slices = {split(reduce(host, whole_, std::move(slices), subtrees, shares_.of_host(across.me)), across.size())};
    subtrees.clear();
    for (int h = 0; h < across.size(); ++h) subtrees.push_back({shares_.of_host(h)});
  }
  std::vector<Part> mine;
  mine.push_back(reduce(across, slice_of(whole_, host.me, shares_.per_host), std::move(slices), subtrees,
                        {0, shares_.minibatches}));
  mine = gather(across, std::move(mine), [&](int member, std::size_t) { return across.ranks[member]; });
  if (shares_.per_host > 1)
    mine = gather(host, std::move(mine),
                  [&](int member, std::size_t k) { return static_cast<int>(k) * shares_.per_host + member; });
  copy_to_total(std::move(mine));
}

std::vector<PieceSum::Part> PieceSum::split(Part whole, int members) const {
  return cut(
      whole.range, whole.slice, members, [&](std::size_t t) { return rows(whole, t); },
      [&](std::size_t t, std::size_t number, std::int32_t) {
        return values(whole, t).data() + static_cast<std::int64_t>(number) * tables_[t].width;
      },
      [&](const Slice& slice, std::span<float> to) {
        std::ranges::copy(numbers(whole).subspan(slice.begin - whole.slice.begin, to.size()), to.begin());
      });
}

/// Sends the parts out_of(m) to each member m, and receives in[m] from it, of which ranges and slices are already set.
template <typename OutOf>
void PieceSum::exchange(const Group& group, OutOf out_of, std::vector<std::vector<Part>>& in) const {
  const auto exchange_bytes = [&](auto bytes_of) {
    std::vector<Message> sends, receives;
    for (int m = 0; m < group.size(); ++m) {
      if (m == group.me) continue;
      for (Part& part : out_of(m)) sends.push_back({group.ranks[m], bytes_of(part)});
      for (Part& part : in[m]) receives.push_back({group.ranks[m], bytes_of(part)});
    }
    job_.exchange(std::move(sends), std::move(receives));
  };
  exchange_bytes([](Part& part) { return std::as_writable_bytes(std::span(part.counts)); });
  for (int m = 0; m < group.size(); ++m)
    for (Part& part : in[m]) {
      check_counts(part, group.ranks[m]);
      part = make_part(part.range, part.slice, std::move(part.counts));
    }
  exchange_bytes([](Part& part) { return std::span<std::byte>(part.bytes); });
  for (int m = 0; m < group.size(); ++m)
    for (Part& part : in[m]) check_rows(part, group.ranks[m]);
}

PieceSum::Part PieceSum::reduce(const Group& group, const Slice& whole, std::vector<std::vector<Part>> mine,
                                const std::vector<std::vector<Range>>& subtrees, Range all) const {
  std::vector<std::vector<Part>> out(group.size()), in(group.size());  // [members][subtrees]
  for (std::vector<Part>& slices : mine)
    for (int m = 0; m < group.size(); ++m) out[m].push_back(std::move(slices[m]));
  for (int m = 0; m < group.size(); ++m)
    for (const Range& range : subtrees[m])
      if (m != group.me)
        in[m].push_back(
            {range, slice_of(whole, group.me, group.size()), std::vector<std::int32_t>(tables_.size()), {}});
  exchange(
      group, [&](int m) -> auto& { return out[m]; }, in);
  in[group.me] = std::move(out[group.me]);
  std::vector<Part> parts = joined(std::move(in));
  auto next = parts.begin();
  return sum(next, all);
}

std::vector<PieceSum::Part> PieceSum::gather(const Group& group, std::vector<Part> mine,
                                             const std::function<int(int member, std::size_t k)>& owner) const {
  std::vector<std::vector<Part>> of(group.size());
  for (int m = 0; m < group.size(); ++m)
    for (std::size_t k = 0; k < mine.size() && m != group.me; ++k)
      of[m].push_back({mine[k].range, owned_by(owner(m, k)), std::vector<std::int32_t>(tables_.size()), {}});
  exchange(
      group, [&](int) -> auto& { return mine; }, of);
  of[group.me] = std::move(mine);
  return joined(std::move(of));
}

/// @throws UserError if a part that `sender` announces has more rows of a table than the table.
void PieceSum::check_counts(const Part& part, int sender) const {
  for (std::size_t t = 0; t < tables_.size(); ++t)
    user_check(part.counts[t] >= 0 && part.counts[t] <= tables_[t].rows,
               "{} announces {} rows of parameter '{}'; expected 0 to {}", job_.name(sender), part.counts[t],
               (*total_.list())[tables_[t].parameter].name, tables_[t].rows);
}

/// @throws UserError unless the rows of the part are ascending rows of the tables that belong to the part's slice.
void PieceSum::check_rows(Part& part, int sender) const {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::int32_t last = -1;
    for (const std::int32_t row : rows(part, t)) {
      user_check(row > last && row < tables_[t].rows && row % part.slice.modulus == part.slice.residue,
                 "{} sent row {} of parameter '{}' after row {}; expected ascending rows below {}, {} modulo {}",
                 job_.name(sender), row, (*total_.list())[tables_[t].parameter].name, last, tables_[t].rows,
                 part.slice.residue, part.slice.modulus);
      last = row;
    }
  }
}

std::vector<PieceSum::Part> PieceSum::joined(std::vector<std::vector<Part>> of_members) {
  std::vector<Part> all;
  for (std::vector<Part>& parts : of_members) std::ranges::move(parts, std::back_inserter(all));
  return all;
}

PieceSum::Part PieceSum::sum(std::vector<Part>::iterator& next, Range range) const {
  if (next->range == range) return std::move(*next++);
  Part first = sum(next, {range.begin, middle(range)});
  return merge(std::move(first), sum(next, {middle(range), range.end}));
}

PieceSum::Part PieceSum::merge(Part a, Part b) const {
  std::vector<std::vector<std::int32_t>> all(tables_.size());
  std::vector<std::int32_t> counts;
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::ranges::set_union(rows(a, t), rows(b, t), std::back_inserter(all[t]));
    counts.push_back(static_cast<std::int32_t>(all[t].size()));
  }
  Part to = make_part({a.range.begin, b.range.end}, a.slice, std::move(counts));
  std::ranges::transform(numbers(a), numbers(b), numbers(to).begin(), std::plus());
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::ranges::copy(all[t], rows(to, t).begin());
    const auto a_rows = rows(a, t), b_rows = rows(b, t);
    const float *x = values(a, t).data(), *y = values(b, t).data();
    float* out = values(to, t).data();
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
      if (has_x) {
        ++i;
        x += width;
      }
      if (has_y) {
        ++j;
        y += width;
      }
      out += width;
    }
  }
  return to;
}

void PieceSum::copy_to_total(std::vector<Part> parts) {
  for (Part& part : parts)
    for_dense(part.slice, [&](std::size_t p, auto first, auto count, auto place) {
      std::ranges::copy(numbers(part).subspan(place, count), total_.values(p).begin() + first);
    });
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    const auto [parameter, unused, width] = tables_[t];
    std::vector<std::int32_t>& listed = total_.table_rows[parameter];
    const std::span<float> to = total_.values(parameter);
    for (const std::int32_t row : listed) std::fill_n(to.begin() + row * width, width, 0.0F);
    listed.clear();
    for (Part& part : parts) {
      const float* from = values(part, t).data();
      for (const std::int32_t row : rows(part, t)) {
        std::copy_n(from, width, to.begin() + row * width);
        listed.push_back(row);
        from += width;
      }
    }
    std::ranges::sort(listed);
  }
}

}  // namespace cavs::inline v0_1
