// How much memory an input takes: the peak of what is allocated, by the hooks of the address sanitizer.
#pragma once

#include <cstddef>

namespace ardvark::fuzz {

/// What fits, selections and predictions of tables of a dozen rows may take beside the input.
constexpr std::size_t of_small_tables = std::size_t{1} << 24;

/// From its construction on no more than `factor * input_size + fixed` bytes are held at a time beyond those held then; the destructor ends
/// the program where it was more, which libFuzzer reports as a crash of this input.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t input_size, std::size_t fixed = std::size_t{1} << 16, std::size_t factor = 10);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  std::size_t input_size_, limit_;
};

}  // namespace ardvark::fuzz
