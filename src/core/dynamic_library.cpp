#include "core/dynamic_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "ardvark/errors.hpp"

namespace ardvark::internal {

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names, bool is_global) {
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | (is_global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (handle_ != nullptr) {
      name_ = name;
      return;
    }
    if (const char* const error = ::dlerror(); error != nullptr) error_ = error;
  }
}

void* DynamicLibrary::address_of(const char* name) const {
  void* const address = handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
  if (address == nullptr)
    throw EnvironmentError(fmt::format("the library '{}' has no function {}: it is of another version; install a newer one", name_, name));
  return address;
}

}  // namespace ardvark::internal
