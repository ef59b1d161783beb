// How the calls of BLAS are limited to one thread; only for blas*.cpp.
#pragma once

#include <optional>

#include "core/blas.hpp"

namespace ardvark::internal::blas {

/// Makes a ThreadScope if the caller has none: no call of BLAS from this library uses threads of BLAS.
class AtOneThread {
 public:
  AtOneThread();

 private:
  std::optional<ThreadScope> own_;
};

}  // namespace ardvark::internal::blas
