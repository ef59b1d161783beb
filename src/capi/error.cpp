// The barrier: an exception becomes a code, a message and fields.
#include <algorithm>
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

void give(const Matrix& symmetric, ardvark_array& to) {
  to.data = static_cast<double*>(allocate(static_cast<std::size_t>(symmetric.size()) * sizeof(double)));
  std::copy_n(symmetric.data(), symmetric.size(), to.data);
  to.dimensions = 2;
  to.shape[0] = to.shape[1] = symmetric.rows();
}

namespace {

// Writes the text into a field of `room` bytes in the caller's structure. A text that is too long is cut, but not within a character.
void write(std::string_view text, char* to, std::size_t room) {
  std::size_t size = std::min(text.size(), room - 1);
  while (size > 0 && size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  std::copy_n(text.data(), size, to);
  to[size] = '\0';
}

template <std::size_t room>
void write(std::string_view text, char (&to)[room]) {
  write(text, to, room);
}

// Nothing here takes memory, of which there may be none.
const ErrorFields no_fields;

// The structure of the caller may be shorter or longer than ours, if it is of another version.
struct Told {
  ardvark_code code;
  std::string_view message;
  const ErrorFields& fields = no_fields;
  std::size_t row_begin = 0, row_end = 0;
  std::string_view why = {};
};

ardvark_code tell(ardvark_error* error, const Told& told) {
  constexpr std::size_t before = offsetof(ardvark_error, message),
                        with_argument = offsetof(ardvark_error, argument) + sizeof error->argument,
                        with_fields = offsetof(ardvark_error, remedy) + sizeof error->remedy;
  if (error == nullptr || error->struct_size <= before) return told.code;
  error->code = told.code;
  write(told.message, error->message, std::min(error->struct_size - before, sizeof error->message));
  if (error->struct_size >= with_argument) write(told.fields.argument, error->argument);
  if (error->struct_size < with_fields) return told.code;
  error->row = told.fields.row;
  error->row_begin = static_cast<std::int64_t>(told.row_begin);
  error->row_end = static_cast<std::int64_t>(told.row_end);
  write(told.fields.value, error->value), write(told.fields.column, error->column);
  write(told.why, error->why), write(told.fields.remedy, error->remedy);
  return told.code;
}

}  // namespace

void clear(ardvark_error* error) { tell(error, {ARDVARK_OK, ""}); }

ardvark_code caught(ardvark_error* error) noexcept try { throw; } catch (const InvalidArgument& e) {
  return tell(error, {ARDVARK_INVALID_ARGUMENT, e.what(), e.fields(), e.row_begin(), e.row_end(), e.fields().why});
} catch (const OutOfMemory& e) {
  return tell(error, {ARDVARK_ENVIRONMENT, e.what(), no_fields, 0, 0, "memory"});
} catch (const EnvironmentError& e) {
  return tell(error, {ARDVARK_ENVIRONMENT, e.what()});
} catch (const Stopped& e) {
  return tell(error, {ARDVARK_STOPPED, e.what()});
} catch (const std::bad_alloc&) {
  return tell(error, {ARDVARK_ENVIRONMENT, "there is not enough memory for this problem", no_fields, 0, 0, "memory"});
} catch (const std::exception& e) {
  return tell(error, {ARDVARK_INTERNAL, e.what()});
} catch (...) {
  return tell(error, {ARDVARK_INTERNAL, "an exception of unknown type"});
}

}  // namespace ardvark::internal::capi
