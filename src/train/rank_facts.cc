#include "train/rank_facts.h"

#include <fmt/format.h>

#include "backend/cpu/isa.h"
#include "support/hash.h"

namespace cavs::inline v0_1 {

std::vector<Job::Fact> training_facts(const TrainOptions& options, const RecordedOptions& trained_by,
                                      const Model& model, const Session& session, const Optimizer& optimizer,
                                      const Checkpoint::Position& position, const Parameters& parameters) {
  constexpr const char* kOptions = "give all ranks the same options";
  const std::string isa(cpu::isa().name);
  const std::string least = isa == "portable" ? isa : "avx2";  // an instruction set that the other ranks have, too
  std::vector<Job::Fact> facts{
      {"version", CAVS_VERSION, "install the same version everywhere"},
      {"instruction set", isa, fmt::format("set CAVS_ISA={} for all ranks", least)},
      {"device", std::string(to_string(options.session.device.kind)), kOptions},
      {"engine", std::string(to_string(session.engine())), kOptions},
      {"precision of products", std::string(to_string(session.precision())), "give all ranks precision fp32"},
      {"model (hash)", fmt::format("{:016x}", fnv1a(model.to_json())), "train the same model on all ranks"}};
  for (const auto& [name, value] : trained_by)
    facts.push_back(
        {name, value, name == "content of the data" ? "give all ranks the same data, in the same order" : kOptions});
  facts.push_back({"optimizer", to_json(optimizer.options()), kOptions});
  facts.push_back({"ema", fmt::format("{}", options.ema), kOptions});
  facts.push_back({"seed", fmt::format("{}", options.seed), kOptions});
  facts.push_back({"position", fmt::format("epoch {}, sample {}", position.epoch + 1, position.sample),
                   "resume all ranks from the same checkpoint, or none"});
  facts.push_back({"parameters (hash)", hash_of(parameters), "give the parameters of all ranks the same values"});
  return facts;
}

std::string hash_of(const Parameters& parameters) {
  ContentHash hash;
  for (int p = 0; p < parameters.size(); ++p) hash.update(std::as_bytes(parameters.values(p)));
  return fmt::format("{:016x}", hash.digest());
}

}  // namespace cavs::inline v0_1
