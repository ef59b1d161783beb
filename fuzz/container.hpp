// Mutations of files in the layout of a model file (io/safetensors.hpp) that keep the layout whole, so that they reach what reads it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ardvark::fuzz {

/// A custom mutator of libFuzzer: changes the header's texts, its tree or the arrays, and mostly makes sizes, offsets and length agree
/// again. \param unchecked_version  a version of this format whose files had no checksums, which the mutated file says to be of
std::size_t mutate_container(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed, const char* unchecked_version);

}  // namespace ardvark::fuzz
