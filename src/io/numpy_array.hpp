// Arrays in the format .npy of NumPy: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ardvark/errors.hpp"
#include "ardvark/types.hpp"

namespace ardvark::internal::io {

/// An array as it lies in a file. What is pickled is never read.
struct NumpyArray {
  std::string name;  ///< for messages: "'a.npy'", or "indices.npy in 'a.npz'"
  std::string type;  ///< for messages: "float64"
  char kind = 'f';   ///< f, i, u: numbers; b: bool; S, U: texts
  Index bytes = 8;   ///< of an element
  bool is_swapped = false, is_fortran = false;
  std::vector<Index> shape;
  std::string_view elements;
  std::shared_ptr<const char> memory;  ///< of the elements

  [[nodiscard]] Index size() const { return static_cast<Index>(elements.size()) / bytes; }
  [[nodiscard]] bool is_number() const { return kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b'; }
  [[nodiscard]] InvalidArgument wrong(const std::string& why, const std::string& remedy = {}) const;
};

/// \param file    all bytes of the .npy file, which the array keeps by `memory`
/// \param name    for messages, with its quotes
/// \throws InvalidArgument  they are no such file, are fewer or more than its shape says, or hold objects, records, dates or complex
/// numbers
[[nodiscard]] NumpyArray numpy_array(std::string_view file, std::shared_ptr<const char> memory, const std::string& name);

/// Numbers of a type that fits and predictions read.
struct NumpyNumbers {
  const void* data = nullptr;
  ScalarType scalar = ScalarType::float64;
  std::shared_ptr<const void> memory;
};
/// Float64, float32 and int8 where they lie, as are bool, and uint8 up to 127; swapped or moved if the file has them in another order or
/// off their boundaries. Integers of one or two bytes and float16 become float32, which holds them exactly, other integers float64.
/// \param notes    gets one if the numbers become others
/// \param narrows  whether integers that all fit become int8
/// \throws InvalidArgument  the array holds no numbers
[[nodiscard]] NumpyNumbers read_numbers(const NumpyArray& array, std::vector<std::string>& notes, bool narrows = false);

/// Integers such as indices: of 32 or 64 bits where they lie, others as 64 bits.
struct NumpyIntegers {
  const std::int32_t* narrow = nullptr;  ///< one of the two
  const std::int64_t* wide = nullptr;
  Index size = 0;
  std::shared_ptr<const void> memory;

  [[nodiscard]] Index operator[](Index i) const { return narrow != nullptr ? Index{narrow[i]} : Index{wide[i]}; }
  [[nodiscard]] const void* data() const { return narrow != nullptr ? static_cast<const void*>(narrow) : wide; }
};
/// \throws InvalidArgument  the array holds others, or one beyond 2^63
[[nodiscard]] NumpyIntegers whole_numbers(const NumpyArray& array);

/// The text of an array without dimensions. \throws InvalidArgument  it holds none, or one that is not ASCII
[[nodiscard]] std::string numpy_text(const NumpyArray& array);

}  // namespace ardvark::internal::io
