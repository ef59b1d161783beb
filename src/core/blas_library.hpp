// Which BLAS there is.
#pragma once

#include <string>

namespace ardvark::internal::blas {

/// Name, version and file of the BLAS of this process, such as "OpenBLAS 0.3.21 DYNAMIC_ARCH Haswell, /usr/lib/libopenblas.so.0".
[[nodiscard]] std::string name_of_library();

}  // namespace ardvark::internal::blas
