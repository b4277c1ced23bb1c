// Runs an optimiser over gradients from standard input, for optimizer_torch.py.
//   optimizer_dump ELEMENTS STEPS MAX_NORM KIND [OPTION=VALUE ...] < first values and gradients > values of every step
// All numbers are raw float32.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "cavs/optimizer.h"
#include "update/gradient_norm.h"
#include "update/optimizer_options.h"

namespace {

void set_option(cavs::OptimizerOptions& options, const std::string& assignment) {
  const auto equals = assignment.find('=');
  const double value = std::stod(assignment.substr(equals + 1));
  for (const cavs::OptionField& field : cavs::option_fields())
    if (field.name == assignment.substr(0, equals))
      std::visit([&](auto member) { options.*member = value; }, field.member);
}

void read_floats(std::span<float> values) {
  if (std::fread(values.data(), sizeof(float), values.size(), stdin) != values.size()) std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int elements = std::stoi(argv[1]), steps = std::stoi(argv[2]);
  const double max_norm = std::stod(argv[3]);
  cavs::OptimizerOptions options = cavs::optimizer_defaults(argv[4]);
  for (int i = 5; i < argc; ++i) set_option(options, argv[i]);

  cavs::Parameters parameters({{"w", {elements}, false, {}}}, 1);
  cavs::Gradients gradients(parameters);
  cavs::GradientNorm norm(parameters);
  cavs::Optimizer optimizer(options, parameters);
  read_floats(parameters.values(0));
  for (int step = 0; step < steps; ++step) {
    read_floats(gradients.values(0));
    norm.share(0, 1, gradients);
    optimizer.step(parameters, gradients, cavs::clip_scale(norm.total(gradients), max_norm));
    std::fwrite(parameters.values(0).data(), sizeof(float), parameters.values(0).size(), stdout);
  }
}
