// How the shim holds BLAS at one thread; for blas*.cpp only.
#pragma once

#include <optional>

#include "core/blas.hpp"

namespace ardvark::internal::blas {

/// A scope of its own where the caller has none: no call of BLAS from this library runs on threads of BLAS.
class AtOneThread {
 public:
  AtOneThread();

 private:
  std::optional<ThreadScope> own_;
};

}  // namespace ardvark::internal::blas
