// Mutations of files in the layout of a model file (io/safetensors.hpp). They keep the layout valid, so that they test the code behind it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ardvark::fuzz {

/// A custom mutator of libFuzzer: changes the texts of the header, its tree or the arrays, and then mostly corrects sizes, offsets and
/// length, and the checksums. \param unchecked_version  a version of this format without checksums, which half of the mutated files claim
/// to have; nullptr: there is none
std::size_t mutate_container(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed, const char* unchecked_version);

}  // namespace ardvark::fuzz
