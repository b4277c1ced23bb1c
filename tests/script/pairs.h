#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "script/processor_accesses.h"
#include "script/script.h"

namespace cavs {

/// The script without one of its waits.
inline Script without_wait(Script script, std::int32_t wait) {
  for (ScriptEntry& e : script.entries) {
    if (e.waits.begin <= wait && wait < e.waits.begin + e.waits.count) --e.waits.count;
    if (e.waits.begin > wait) --e.waits.begin;
  }
  script.waits.erase(script.waits.begin() + wait);
  return script;
}

/// An independent check for the validator: if entries of two processors access the same number and one of them writes
/// it, a path of waits must connect the entries. The pairs are found once, and the paths for every set of waits.
class Pairs {
 public:
  Pairs(const Plan& plan, const Script& script) {
    std::map<std::pair<Buffer, std::int64_t>, std::set<Touch>> touches;
    for (std::int32_t e = 0; e < static_cast<std::int32_t>(script.entries.size()); ++e)
      for (std::int32_t p = 0; p < script.processors; ++p)
        if (script.entries[e].is_of(p))
          ProcessorAccesses(plan, script, script.entries[e], p)
              .each([&](const ScriptOperand& o, auto row, auto from, auto to) {
                if (o.all) touches[{o.buffer, o.id}].insert({e, p, o.writes});
                for (std::int64_t c = from; c < to; ++c)
                  touches[{o.buffer, o.offset + std::int64_t{row} * o.stride + c}].insert({e, p, o.writes});
              });
    for (const auto& [number, all] : touches)
      for (const Touch& a : all)
        for (const Touch& b : all)
          if (std::get<0>(a) <= std::get<0>(b) && conflict(script, a, b)) pairs_.insert({a, b});
  }

  bool has_race(const Script& script) const {
    const auto before = order(script);
    return std::ranges::any_of(pairs_, [&](const auto& pair) {
      const auto [d, q, wrote] = pair.first;
      const auto [e, p, writes] = pair.second;
      return d == e || before[node(script, p, e)][node(script, q, d)] == 0;
    });
  }

 private:
  using Touch = std::tuple<std::int32_t, std::int32_t, bool>;  // entry, processor, writes

  /// True if the accesses conflict. Entries with shared outputs do not conflict, because each number has one writer.
  static bool conflict(const Script& script, const Touch& a, const Touch& b) {
    const auto [d, q, wrote] = a;
    const auto [e, p, writes] = b;
    const Share share = script.entries[e].share;
    const bool shared = d == e && (share == Share::kOutput || share == Share::kCollective);
    return p != q && (wrote || writes) && !shared;
  }
  static std::size_t node(const Script& script, std::int32_t p, std::int32_t e) {
    return static_cast<std::size_t>(e) * static_cast<std::size_t>(script.processors) + static_cast<std::size_t>(p);
  }

  /// [node][node], true if the second node ends before the first begins.
  static std::vector<std::vector<char>> order(const Script& script) {
    const std::size_t nodes = script.entries.size() * static_cast<std::size_t>(script.processors);
    std::vector<std::vector<char>> before(nodes, std::vector<char>(nodes));
    for (std::int32_t e = 1; e < static_cast<std::int32_t>(script.entries.size()); ++e)
      for (std::int32_t p = 0; p < script.processors; ++p) {
        std::vector<char>& own = before[node(script, p, e)];
        const auto after = [&](std::int32_t q, std::int32_t d) {
          const std::vector<char>& theirs = before[node(script, q, d)];
          std::transform(own.begin(), own.end(), theirs.begin(), own.begin(), std::logical_or<>());
          own[node(script, q, d)] = 1;
        };
        const ScriptEntry &entry = script.entries[e], &last = script.entries[e - 1];
        const bool meet = entry.share == Share::kCollective || last.share == Share::kCollective || e == script.update;
        for (std::int32_t q = 0; q < script.processors; ++q)
          if (q == p || meet) after(q, e - 1);
        for (const Wait& w : part_of(script.waits, entry.waits))
          for (std::int32_t q = 0; q < script.processors; ++q)
            if (entry.is_of(p) && (w.processor == Wait::kAll || w.processor == q)) after(q, w.entry);
      }
    return before;
  }

  std::set<std::pair<Touch, Touch>> pairs_;
};

}  // namespace cavs
