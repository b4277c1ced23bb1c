// Shared by the programs of other libraries: reads samples, parameters and losses from ../../dump_samples.cc, and
// measures training over whole epochs.
#pragma once

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Vertex {
  std::vector<int> children;
  int word, label, character, first, last;  // -1 if absent; first and last: vertices of a token's spelling
};
using Sample = std::vector<Vertex>;

struct NamedValues {
  std::string name;
  std::vector<float> values;
};

/// A file of dump_samples. The last two members are empty if the file does not have them.
struct Dump {
  int words = 0, classes = 0;
  std::vector<Sample> samples;
  std::vector<NamedValues> parameters;
  std::vector<double> losses;
};

class DumpReader {
 public:
  explicit DumpReader(const std::string& path) : path_(path), file_(path) {}

  Dump read() {
    Dump dump;
    dump.samples.resize(count("samples"));
    dump.words = static_cast<int>(count("words")), dump.classes = static_cast<int>(count("classes"));
    for (Sample& sample : dump.samples) sample = read_sample();
    if (!(file_ >> std::ws).eof()) read_training(dump);
    return dump;
  }

 private:
  template <typename T>
  T next() {
    T value{};
    if (!(file_ >> value)) throw std::runtime_error(path_ + ": is not output of dump_samples");
    return value;
  }
  std::size_t count(const std::string& name) {
    if (next<std::string>() != name) throw std::runtime_error(path_ + ": expected '" + name + "' and a number");
    return next<std::size_t>();
  }
  Sample read_sample() {
    Sample sample(next<std::size_t>());
    for (Vertex& v : sample) {
      v.children.resize(next<std::size_t>());
      for (int& child : v.children) child = next<int>();
      for (int* field : {&v.word, &v.label, &v.character, &v.first, &v.last}) *field = next<int>();
    }
    return sample;
  }
  void read_training(Dump& dump) {
    dump.parameters.resize(count("parameters"));
    for (NamedValues& parameter : dump.parameters) {
      parameter.name = next<std::string>(), parameter.values.resize(next<std::size_t>());
      for (float& value : parameter.values) value = next<float>();
    }
    dump.losses.resize(count("losses"));
    for (double& loss : dump.losses) loss = next<double>();
  }

  std::string path_;
  std::ifstream file_;
};

/// Milliseconds of the parts of a step.
struct StepTimes {
  double graph = 0, forward = 0, backward = 0, update = 0;
};

class Stopwatch {
 public:
  /// Milliseconds since the last call, or since construction.
  double lap_ms() {
    const auto now = std::chrono::steady_clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

struct Speed {
  double seconds = 0;
  long epochs = 0, samples = 0, steps = 0;
};

/// Measures whole epochs, after one to warm up, for at least `seconds`. `step(begin, end)` trains on these samples.
template <typename Step>
Speed measure_epochs(std::size_t samples, std::size_t batch_size, double seconds, const Step& step) {
  const auto epoch = [&] {
    for (std::size_t begin = 0; begin < samples; begin += batch_size)
      step(begin, begin + batch_size < samples ? begin + batch_size : samples);
  };
  epoch();
  Speed speed;
  Stopwatch watch;
  do {
    epoch();
    ++speed.epochs;
    speed.seconds += watch.lap_ms() / 1e3;
  } while (speed.seconds < seconds);
  speed.samples = static_cast<long>(samples) * speed.epochs;
  speed.steps = static_cast<long>((samples + batch_size - 1) / batch_size) * speed.epochs;
  return speed;
}
