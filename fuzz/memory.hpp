// The memory that an input needs: the peak of the allocated memory, by the hooks of the address sanitizer.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace ardvark::fuzz {

/// A property that holds for every input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Memory that fits, selections and predictions of tables of a dozen rows may use in addition to the input.
constexpr std::size_t of_small_tables = std::size_t{1} << 24;

/// After the construction, at most `factor * input_size + fixed` more bytes may be allocated at a time. If there were more, the destructor
/// ends the program, which libFuzzer reports as a crash of this input.
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
