#include "schedule/fsm.h"

#include <algorithm>

#include "schedule/policies.h"

namespace cavs::inline v0_1 {

std::size_t FrontierStateHash::operator()(const FrontierState& state) const {
  std::uint64_t hash = state.size();
  for (const std::int32_t part : state) {
    hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32;
  }
  return hash;
}

const FrontierState& StateEncoder::encode(const Frontier& frontier) {
  state_.clear();
  const auto is_before = [&](std::int32_t a, std::int32_t b) {
    return frontier.types[a].ready > frontier.types[b].ready;
  };
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(frontier.types.size()); ++t)
    if (frontier.types[t].ready > 0) state_.push_back(t);
  const auto by_count = [&](auto first, auto last) {  // insertion sort: types are few, and the sort must be stable
    for (auto i = first; i != last; ++i) std::rotate(std::upper_bound(first, i, *i, is_before), i, i + 1);
  };
  if (encoding_ == StateEncoding::kMax) {
    const auto next = std::min_element(state_.begin(), state_.end(), is_before);
    std::rotate(state_.begin(), next, next + 1);
  } else if (encoding_ != StateEncoding::kBase) {
    by_count(state_.begin(), state_.end());
  }
  const std::int64_t done = std::int64_t{frontier.vertices} - frontier.left;
  state_.push_back(encoding_ == StateEncoding::kPhase ? static_cast<std::int32_t>(done * phases_ / frontier.vertices)
                                                      : 0);
  return state_;
}

FsmPolicy::FsmPolicy(const LearnedPolicy& policy) : encoder_(policy.options) {
  for (const LearnedPolicy::Rule& rule : policy.rules) {
    FrontierState state = rule.ready;
    state.push_back(rule.phase);
    next_.emplace(std::move(state), rule.next);
  }
}

Choice FsmPolicy::choose(const Frontier& frontier) {
  const FrontierState& state = encoder_.encode(frontier);
  if (state.size() == 2) return {state.front()};  // only one type has ready vertices
  const auto found = next_.find(state);
  if (found != next_.end()) return {found->second};
  ++fallbacks_;
  return {type_of_best_ratio(frontier)};
}

}  // namespace cavs::inline v0_1
