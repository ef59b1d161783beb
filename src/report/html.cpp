#include "report/html.hpp"

#include <utility>

#include "ardvark/errors.hpp"
#include "io/text.hpp"

namespace ardvark::internal::report {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : io::printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::string shown = io::printable(text);
  if (io::width(shown) <= most) return shown;
  std::string out;
  std::size_t characters = 0;
  for (const char c : shown) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80 && ++characters == most) break;
    out += c;
  }
  return out + "\u2026";
}

void Html::begin(Literal tag, Attributes attributes) {
  out_ += '<';
  out_ += tag.view();
  for (const Attribute& attribute : attributes) {
    out_ += ' ';
    out_ += attribute.name.view();
    out_ += "=\"" + escaped(attribute.value) + '"';
  }
}

void Html::open(Literal tag, Attributes attributes) {
  begin(tag, attributes);
  out_ += '>';
  open_.push_back(tag.view());
}

void Html::close(Literal tag) {
  if (open_.empty() || open_.back() != tag.view()) throw InternalError("an element of a page is closed that was not opened last");
  open_.pop_back();
  out_ += "</";
  out_ += tag.view();
  out_ += '>';
}

void Html::element(Literal tag, std::string_view text_of_it, Attributes attributes) {
  open(tag, attributes);
  text(text_of_it);
  close(tag);
}

void Html::empty(Literal tag, Attributes attributes) {
  begin(tag, attributes);
  out_ += "/>";
}

std::string Html::take() {
  if (!open_.empty()) throw InternalError("an element of a page is not closed");
  return std::exchange(out_, {});
}

}  // namespace ardvark::internal::report
