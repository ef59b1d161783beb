// Reads JSON from an untrusted source.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/json.hpp"

namespace ardvark::internal::io {

/// Receives the parts of a text while it is read. Each function may throw; this ends the reading.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  virtual void open_object() = 0;
  virtual void open_array() = 0;
  virtual void close() = 0;  ///< the object or list that was opened last
  virtual void key(std::string& name) = 0;
  virtual void value(Json scalar) = 0;  ///< null, a flag, a number or a text
};

/// \throws JsonError  the text is not JSON
void read_json(std::string_view text, JsonEvents& events);

/// The tree of this text. A tree may need 50 times the memory of its text ("[[],[],..."), so its size is counted while it grows.
/// \throws JsonError        the text is not JSON
/// \throws InvalidArgument  the tree would take more than `most_bytes`, or is nested too deep; \param name  of the file, for the message
[[nodiscard]] Json bounded_json(std::string_view text, std::size_t most_bytes, const std::string& name);

}  // namespace ardvark::internal::io
