#include "law/members.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>

namespace cavs::law {
namespace {

template <typename T>
std::string text(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return std::to_string(static_cast<int>(value));
  else if constexpr (fmt::is_formattable<T>::value)
    return fmt::format("{}", value);
  else
    return value ? "given" : "none";  // for functions and pointers
}
template <typename T>
std::string text(const std::optional<T>& value) {
  if constexpr (std::is_enum_v<T>)
    return value ? std::to_string(static_cast<int>(*value)) : "none";
  else
    return value ? fmt::format("{}", *value) : "none";
}
std::string text(const Device& value) { return to_string(value); }
template <typename T>
requires(!fmt::is_formattable<T>::value) std::string text(const std::vector<T>& value) {
  return std::to_string(value.size());
}

using Members = std::map<std::string, std::string>;

void add(Members& m, const CompileOptions& o) {
  const auto& [training, dropout, pull_gradients, push_gradients, loss, pushes, disabled_passes] = o;
  m["CompileOptions::training"] = text(training);
  m["CompileOptions::dropout"] = text(dropout);
  m["CompileOptions::pull_gradients"] = text(pull_gradients);
  m["CompileOptions::push_gradients"] = text(push_gradients);
  m["CompileOptions::loss"] = text(loss);
  m["CompileOptions::pushes"] = text(pushes);
  m["CompileOptions::disabled_passes"] = text(disabled_passes);
}

void add(Members& m, const SessionOptions& o) {
  const auto& [threads, device, engine, policy, learned, precision, streaming, defer_from, memory_limit, seed, profile,
               time_kernels, check_scripts] = o;
  m["SessionOptions::threads"] = text(threads);
  m["SessionOptions::engine"] = text(engine);
  m["SessionOptions::device"] = text(device);
  m["SessionOptions::policy"] = text(policy);
  m["SessionOptions::learned"] = text(learned);
  m["SessionOptions::precision"] = text(precision);
  m["SessionOptions::streaming"] = text(streaming);
  m["SessionOptions::defer_from"] = text(defer_from);
  m["SessionOptions::memory_limit"] = text(memory_limit);
  m["SessionOptions::seed"] = text(seed);
  m["SessionOptions::profile"] = text(profile);
  m["SessionOptions::time_kernels"] = text(time_kernels);
  m["SessionOptions::check_scripts"] = text(check_scripts);
}

void add(Members& m, const ForwardOptions& o) {
  const auto& [epoch, loss_divisor, pulls] = o;
  m["ForwardOptions::epoch"] = text(epoch);
  m["ForwardOptions::loss_divisor"] = text(loss_divisor);
  m["ForwardOptions::pulls"] = text(pulls);
}

void add(Members& m, const TrainOptions& o) {
  const auto& [batch_size, shuffle, buckets, shuffle_buffer, clip_norm, gradient_norm, accumulate, ema, seed, optimizer,
               session, disabled_passes, job] = o;
  m["TrainOptions::batch_size"] = text(batch_size);
  m["TrainOptions::shuffle"] = text(shuffle);
  m["TrainOptions::buckets"] = text(buckets);
  m["TrainOptions::shuffle_buffer"] = text(shuffle_buffer);
  m["TrainOptions::clip_norm"] = text(clip_norm);
  m["TrainOptions::gradient_norm"] = text(gradient_norm);
  m["TrainOptions::accumulate"] = text(accumulate);
  m["TrainOptions::ema"] = text(ema);
  m["TrainOptions::seed"] = text(seed);
  m["TrainOptions::disabled_passes"] = text(disabled_passes);
  m["TrainOptions::session"] = text(session.threads);
  m["TrainOptions::job"] = text(job);
}

void add(Members& m, const OptimizerOptions& o) {
  const auto& [kind, lr, weight_decay, momentum, nesterov, beta1, beta2, eps, lr_decay, initial_accumulator,
               sparse_updates, schedule, groups] = o;
  m["OptimizerOptions::kind"] = text(kind);
  m["OptimizerOptions::lr"] = text(lr);
  m["OptimizerOptions::weight_decay"] = text(weight_decay);
  m["OptimizerOptions::momentum"] = text(momentum);
  m["OptimizerOptions::nesterov"] = text(nesterov);
  m["OptimizerOptions::beta1"] = text(beta1);
  m["OptimizerOptions::beta2"] = text(beta2);
  m["OptimizerOptions::eps"] = text(eps);
  m["OptimizerOptions::lr_decay"] = text(lr_decay);
  m["OptimizerOptions::initial_accumulator"] = text(initial_accumulator);
  m["OptimizerOptions::sparse_updates"] = text(sparse_updates);
  const auto& [decay, warmup_steps, decay_steps, rate, patience, floor] = schedule;
  m["LearningRateSchedule::decay"] = text(decay);
  m["LearningRateSchedule::warmup_steps"] = text(warmup_steps);
  m["LearningRateSchedule::decay_steps"] = text(decay_steps);
  m["LearningRateSchedule::rate"] = text(rate);
  m["LearningRateSchedule::patience"] = text(patience);
  m["LearningRateSchedule::floor"] = text(floor);
  for (const auto& [pattern, group_rate, value] : groups) {
    m["ParameterGroup::pattern"] += text(pattern);
    m["ParameterGroup::rate"] += text(group_rate);
    m["ParameterGroup::value"] += text(value);
  }
}

void add(Members& m, const LearnOptions& o) {
  const auto& [encoding, samples, held_out, trials, check_every, reward_weight, learning_rate, discount, steps, epsilon,
               phases, seed] = o;
  m["LearnOptions::encoding"] = text(encoding);
  m["LearnOptions::samples"] = text(samples);
  m["LearnOptions::held_out"] = text(held_out);
  m["LearnOptions::trials"] = text(trials);
  m["LearnOptions::check_every"] = text(check_every);
  m["LearnOptions::reward_weight"] = text(reward_weight);
  m["LearnOptions::learning_rate"] = text(learning_rate);
  m["LearnOptions::discount"] = text(discount);
  m["LearnOptions::steps"] = text(steps);
  m["LearnOptions::epsilon"] = text(epsilon);
  m["LearnOptions::phases"] = text(phases);
  m["LearnOptions::seed"] = text(seed);
}

}  // namespace

Members members(const LawOptions& options) {
  Members all;
  add(all, options.compile);
  add(all, options.session);
  add(all, options.forward);
  add(all, options.train);
  add(all, options.train.optimizer);
  add(all, options.learn);
  const auto& [compile, session, forward, train, learn, other_threads, order, minibatch, prefetch, supplies_box,
               push_gradients, halve, defer, exact_memory_limit, stream, start, checkpoint_file, steps, stop, ranks] =
      options;
  all["other_threads"] = text(other_threads);
  all["order"] = text(order);
  all["minibatch"] = text(minibatch);
  all["prefetch"] = text(prefetch);
  all["give_box"] = text(supplies_box);
  all["push_gradients"] = text(push_gradients);
  all["halve"] = text(halve);
  all["defer"] = text(defer);
  all["exact_memory_limit"] = text(exact_memory_limit);
  all["stream"] = text(stream);
  all["start"] = text(start);
  all["checkpoint_file"] = text(checkpoint_file);
  all["steps"] = text(steps);
  all["stop"] = text(stop);
  all["ranks"] = text(ranks);
  return all;
}

const std::map<std::string_view, std::string_view>& not_drawn() {
  static const std::map<std::string_view, std::string_view> kAll{
      {"SessionOptions::device", "needs a GPU"},
      {"SessionOptions::learned", "is learned where the policy is fsm"},
      {"SessionOptions::memory_limit", "is exact_memory_limit"},
      {"SessionOptions::check_scripts", "needs device cuda"},
      {"SessionOptions::time_kernels", "needs device cuda"},
      {"ForwardOptions::pulls", "is give_box"},
      {"TrainOptions::session", "is SessionOptions"},
      {"TrainOptions::job", "is ranks"},
      {"TrainOptions::disabled_passes", "is CompileOptions::disabled_passes"},
      {"LearnOptions::samples", "changes the policy that is learned, as the encoding does"},
      {"LearnOptions::held_out", "as samples"},
      {"LearnOptions::trials", "as samples"},
      {"LearnOptions::check_every", "as samples"},
      {"LearnOptions::reward_weight", "as samples"},
      {"LearnOptions::learning_rate", "as samples"},
      {"LearnOptions::discount", "as samples"},
      {"LearnOptions::steps", "as samples"},
      {"LearnOptions::epsilon", "as samples"},
      {"LearnOptions::phases", "as samples"},
      {"LearnOptions::seed", "as samples"},
  };
  return kAll;
}

}  // namespace cavs::law
