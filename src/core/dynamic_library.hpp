// Libraries of the system that are used if they are there.
#pragma once

#include <string>
#include <vector>

namespace ardvark::internal {

/// A shared library that is opened while the program runs, and stays open until it ends.
class DynamicLibrary {
 public:
  /// The first of these names or paths that can be opened; is_open() is false if there is none.
  /// \param is_global  whether libraries that are opened later may use its functions
  explicit DynamicLibrary(const std::vector<std::string>& names, bool is_global = false);
  [[nodiscard]] bool is_open() const { return handle_ != nullptr; }
  [[nodiscard]] const std::string& name() const { return name_; }    ///< of the one that was opened
  [[nodiscard]] const std::string& error() const { return error_; }  ///< of the system, about the last name that could not be opened

  /// \throws EnvironmentError  the library has no function of this name
  template <typename Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(address_of(name));
  }

 private:
  [[nodiscard]] void* address_of(const char* name) const;

  void* handle_ = nullptr;
  std::string name_, error_;
};

}  // namespace ardvark::internal
