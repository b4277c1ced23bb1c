// The forward pass of an LSTM by oneDNN's fused primitive, for comparison with the LSTM in `cavs bench fixed-lstm
// --mode infer`.
//
//   onednn_lstm HIDDEN BATCH LENGTH SECONDS        # threads: OMP_NUM_THREADS
//
// One layer from left to right, with inputs of the size of the state, in fp32, for inference. Weights are reordered
// once to the primitive's layout, before the measurement. Prints one JSON object with microseconds per token. If HIDDEN
// is at most 8, also checks the result against plain loops.
//
// Needs oneDNN 3: PyPI's onednn-devel-cpu-gomp and onednn-cpu-gomp, unpacked into one folder, or another build;
// -Ddnnl_DIR=FOLDER/lib/cmake/dnnl. (Debian's oneDNN 2 has another interface for the primitive.)
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <oneapi/dnnl/dnnl.hpp>
#include <random>
#include <vector>

namespace {

using dnnl::memory;
using Floats = std::vector<float>;

struct Sizes {
  memory::dim hidden, batch, length;
};

Floats random_floats(memory::dim count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(-0.3F, 0.3F);
  Floats x(static_cast<std::size_t>(count));
  std::generate(x.begin(), x.end(), [&] { return draw(random); });
  return x;
}

/// One layer, with the gates in oneDNN's order: input, forget, candidate, output.
class Lstm {
 public:
  explicit Lstm(Sizes sizes)
      : sizes_(sizes),
        x(random_floats(sizes.length * sizes.batch * sizes.hidden, 1)),
        w(random_floats(4 * sizes.hidden * sizes.hidden, 2)),
        u(random_floats(4 * sizes.hidden * sizes.hidden, 3)),
        bias(random_floats(4 * sizes.hidden, 4)),
        y(x.size()),
        primitive_(description()) {
    using Tag = memory::format_tag;
    const auto [h, b, l] = sizes_;
    arguments_ = {{DNNL_ARG_SRC_LAYER, as_wanted({l, b, h}, Tag::tnc, x, primitive_.src_layer_desc())},
                  {DNNL_ARG_WEIGHTS_LAYER, as_wanted({1, 1, h, 4, h}, Tag::ldigo, w, primitive_.weights_layer_desc())},
                  {DNNL_ARG_WEIGHTS_ITER, as_wanted({1, 1, h, 4, h}, Tag::ldigo, u, primitive_.weights_iter_desc())},
                  {DNNL_ARG_BIAS, as_wanted({1, 1, 4, h}, Tag::ldgo, bias, primitive_.bias_desc())},
                  {DNNL_ARG_DST_LAYER, memory(plain({l, b, h}, Tag::tnc), engine_, y.data())}};
  }

  void run() {
    dnnl::lstm_forward(primitive_).execute(stream_, arguments_);
    stream_.wait();
  }

  /// The largest difference between y and the result of plain loops.
  float error() const {
    const auto [h, b, l] = sizes_;
    Floats state(static_cast<std::size_t>(b * h)), cell(state.size()), next(state.size());
    float largest = 0;
    const auto sigmoid = [](float v) { return 1 / (1 + std::exp(-v)); };
    for (memory::dim t = 0; t < l; ++t, state = next)
      for (memory::dim n = 0; n < b; ++n)
        for (memory::dim o = 0; o < h; ++o) {
          float gates[4];
          for (memory::dim g = 0; g < 4; ++g) {
            gates[g] = bias[g * h + o];
            for (memory::dim i = 0; i < h; ++i)
              gates[g] += x[(t * b + n) * h + i] * w[(i * 4 + g) * h + o] + state[n * h + i] * u[(i * 4 + g) * h + o];
          }
          float& c = cell[n * h + o];
          c = sigmoid(gates[1]) * c + sigmoid(gates[0]) * std::tanh(gates[2]);
          next[n * h + o] = sigmoid(gates[3]) * std::tanh(c);
          largest = std::max(largest, std::abs(next[n * h + o] - y[(t * b + n) * h + o]));
        }
    return largest;
  }

 private:
  static memory::desc plain(const memory::dims& dims, memory::format_tag tag) {
    return {dims, memory::data_type::f32, tag};
  }

  dnnl::lstm_forward::primitive_desc description() const {
    using Tag = memory::format_tag;
    const auto [h, b, l] = sizes_;
    return {engine_,
            dnnl::prop_kind::forward_inference,
            dnnl::rnn_direction::unidirectional_left2right,
            plain({l, b, h}, Tag::tnc),
            {},
            {},
            plain({1, 1, h, 4, h}, Tag::any),
            plain({1, 1, h, 4, h}, Tag::any),
            plain({1, 1, 4, h}, Tag::ldgo),
            plain({l, b, h}, Tag::tnc),
            {},
            {}};
  }

  memory as_wanted(const memory::dims& dims, memory::format_tag tag, Floats& values, const memory::desc& wanted) {
    memory given(plain(dims, tag), engine_, values.data());
    if (given.get_desc() == wanted) return given;
    memory reordered(wanted, engine_);
    dnnl::reorder(given, reordered).execute(stream_, given, reordered);
    stream_.wait();
    return reordered;
  }

  Sizes sizes_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  Floats x, w, u, bias, y;
  dnnl::lstm_forward::primitive_desc primitive_;
  std::unordered_map<int, memory> arguments_;
};

int measure(Sizes sizes, double seconds) {
  Lstm lstm(sizes);
  lstm.run();
  if (sizes.hidden <= 8 && !(lstm.error() < 1e-5F)) {
    std::fprintf(stderr, "onednn_lstm: differs by %g from plain loops\n", static_cast<double>(lstm.error()));
    return 1;
  }
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  const auto begin = Clock::now();
  double taken = 0;
  long runs = 0;
  for (; runs == 0 || taken < seconds; ++runs, taken = Seconds(Clock::now() - begin).count()) lstm.run();
  const dnnl_version_t* const version = dnnl::version();
  std::printf("{\"version\": \"%d.%d\", \"us_per_token\": %.5f}\n", version->major, version->minor,
              taken * 1e6 / static_cast<double>(runs * sizes.batch * sizes.length));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: onednn_lstm HIDDEN BATCH LENGTH SECONDS\n");
    return 2;
  }
  try {
    return measure({std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3])}, std::atof(argv[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "onednn_lstm: %s\n", error.what());
    return 1;
  }
}
