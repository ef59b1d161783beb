// The barrier: an exception becomes a code, a message and the name of an argument.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "capi/handles.hpp"

namespace ardvark::internal::capi {

void* allocate(std::size_t size) {
  void* const memory = std::malloc(std::max<std::size_t>(size, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

char* copy(std::string_view text) {
  char* const out = static_cast<char*>(allocate(text.size() + 1));
  std::copy(text.begin(), text.end(), out);
  out[text.size()] = '\0';
  return out;
}

namespace {

// The names of arguments in the C interface.
constexpr std::array<std::string_view, 20> argument_names = {
    "X",          "y",    "X_new",  "target", "labels",  "weights", "mean", "V",     "V_inverse", "noise_shape",
    "noise_rate", "like", "center", "scale",  "lambdas", "columns", "name", "value", "values",    "path"};

// The argument or option of a message: its first word, if this is a known name.
std::string_view argument_of(std::string_view message) {
  const std::string_view first = message.substr(0, message.find(' '));
  const auto is_first = [&](std::string_view name) { return first == name; };
  const bool is_known = std::any_of(argument_names.begin(), argument_names.end(), is_first) ||
                        std::any_of(model_options().begin(), model_options().end(), [&](const ModelOption& o) { return is_first(o.name); });
  return is_known ? first : std::string_view();
}

// Writes the text into a field of `room` bytes in the caller's structure. A text that is too long is cut, but not within a character.
void write(std::string_view text, char* to, std::size_t room) {
  std::size_t size = std::min(text.size(), room - 1);
  while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  std::copy_n(text.data(), size, to);
  to[size] = '\0';
}

// The caller's structure may be shorter or longer than ours, if it is of another version.
void tell(ardvark_error* error, ardvark_code code, std::string_view message) {
  constexpr std::size_t before = offsetof(ardvark_error, message), all = offsetof(ardvark_error, argument) + sizeof error->argument;
  if (error == nullptr || error->struct_size <= before) return;
  error->code = code;
  write(message, error->message, std::min(error->struct_size - before, sizeof error->message));
  if (error->struct_size >= all)
    write(code == ARDVARK_INVALID_ARGUMENT ? argument_of(message) : "", error->argument, sizeof error->argument);
}

ardvark_code tell_and_return(ardvark_error* error, ardvark_code code, std::string_view message) {
  tell(error, code, message);
  return code;
}

}  // namespace

void clear(ardvark_error* error) { tell(error, ARDVARK_OK, ""); }

ardvark_code caught(ardvark_error* error) noexcept try { throw; } catch (const InvalidArgument& e) {
  return tell_and_return(error, ARDVARK_INVALID_ARGUMENT, e.what());
} catch (const EnvironmentError& e) {
  return tell_and_return(error, ARDVARK_ENVIRONMENT, e.what());
} catch (const Stopped& e) {
  return tell_and_return(error, ARDVARK_STOPPED, e.what());
} catch (const std::bad_alloc&) {
  return tell_and_return(error, ARDVARK_ENVIRONMENT, "there is not enough memory for this problem");
} catch (const std::exception& e) {
  return tell_and_return(error, ARDVARK_INTERNAL, e.what());
} catch (...) {
  return tell_and_return(error, ARDVARK_INTERNAL, "an exception of unknown type");
}

}  // namespace ardvark::internal::capi
