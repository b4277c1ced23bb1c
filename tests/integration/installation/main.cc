#include <cavs/shape.h>

#include <iostream>

int main() {
  std::cout << cavs::to_string(cavs::Shape{4, 3}) << "\n";
  return 0;
}
