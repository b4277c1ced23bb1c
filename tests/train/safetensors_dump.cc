// Writes the file that safetensors_parse.py expects. Usage: safetensors_dump PATH.

#include "train/safetensors.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::vector<float> b{0, 0.5F, 1, 1.5F, 2, 2.5F}, scalar{-7.25F};
  const std::vector<double> wide{0.1, 1e300};
  cavs::write_safetensors(argv[1],
                          {{"b", "F32", {2, 3}, std::as_bytes(std::span(b))},
                           {"scalar", "F32", {}, std::as_bytes(std::span(scalar))},
                           {"empty", "F32", {0, 4}, {}},
                           {"\u00e4 \"quoted\"\\", "F64", {2}, std::as_bytes(std::span(wide))}},
                          {{"note", "two\nlines \u2713"}});
}
