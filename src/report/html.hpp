// HTML that is written in order. A text of a user cannot become markup: names of elements and attributes are literals of the source code,
// and everything else is escaped.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ardvark::internal::report {

/// A text that stands in the source code: the compiler refuses any other.
class Literal {
 public:
  consteval Literal(const char* text) : text_(text) {}
  [[nodiscard]] constexpr std::string_view view() const { return text_; }

 private:
  std::string_view text_;
};

/// name="value"; the value is escaped.
struct Attribute {
  Literal name;
  std::string value;
};
using Attributes = std::initializer_list<Attribute>;

/// The text with &, <, > and quotes as entities; control characters and bytes that are not UTF-8 as \xNN.
[[nodiscard]] std::string escaped(std::string_view text);

/// A long text for a table: at most `most` characters, of which the last is an ellipsis.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most = 60);

class Html {
 public:
  /// \throws InternalError  by close(), if another element was opened last
  void open(Literal tag, Attributes attributes = {});
  void close(Literal tag);
  void text(std::string_view text) { out_ += escaped(text); }
  /// An element with only a text.
  void element(Literal tag, std::string_view text, Attributes attributes = {});
  /// An element without content, such as an image or a line of a drawing.
  void empty(Literal tag, Attributes attributes = {});
  /// Markup or a style sheet of the source code.
  void literal(Literal text) { out_ += text.view(); }
  void line() { out_ += '\n'; }
  /// What another writer has written.
  void append(Html&& other) { out_ += other.take(); }

  [[nodiscard]] std::size_t size() const { return out_.size(); }
  /// All that was written. \throws InternalError  an element is open
  [[nodiscard]] std::string take();

 private:
  void begin(Literal tag, Attributes attributes);

  std::string out_;
  std::vector<std::string_view> open_;
};

}  // namespace ardvark::internal::report
