// Reads a page strictly, as XML with the elements of HTML, and says what is wrong with it.
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ardvark::testing {

/// An element of a page, in the order of its beginning.
struct PageElement {
  std::string tag, text;  ///< text: its own, with entities replaced
  std::map<std::string, std::string> attributes;
  [[nodiscard]] std::string attribute(const std::string& name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? "" : found->second;
  }
};

struct CheckedPage {
  std::vector<PageElement> elements;
  std::vector<std::string> faults;

  [[nodiscard]] std::vector<PageElement> all(std::string_view tag) const {
    std::vector<PageElement> out;
    for (const PageElement& element : elements)
      if (element.tag == tag) out.push_back(element);
    return out;
  }
  /// All text that a reader sees, without the style sheet.
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const PageElement& element : elements)
      if (element.tag != "style") out += element.text + "\n";
    return out;
  }
};

class PageReader {
 public:
  explicit PageReader(std::string_view page) : page_(page) {}

  CheckedPage read() {
    take("<!DOCTYPE html>");
    while (at_ < page_.size()) {
      if (page_[at_] == '<')
        markup();
      else
        characters();
    }
    if (!open_.empty()) fault("an element is not closed: " + out_.elements[open_.back()].tag);
    check_ids();
    check_headings();
    check_outside();
    return std::move(out_);
  }

 private:
  void fault(const std::string& what) { out_.faults.push_back(what); }
  bool take(std::string_view word) {
    if (page_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string entities(std::string_view raw) {
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '<' || raw[i] == '>') fault("a bare < or > in: " + std::string(raw.substr(0, 60)));
      if (raw[i] != '&') {
        out += raw[i];
        continue;
      }
      const std::size_t end = raw.find(';', i);
      const std::string_view name = raw.substr(i, end == std::string_view::npos ? 0 : end - i + 1);
      const std::map<std::string_view, char> known = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
      const auto found = known.find(name);
      if (found == known.end()) {
        fault("an entity that is none: " + std::string(raw.substr(i, 20)));
        out += '&';
      } else {
        out += found->second;
        i = end;
      }
    }
    return out;
  }

  void characters() {
    const bool in_style = !open_.empty() && out_.elements[open_.back()].tag == "style";
    const std::size_t end = in_style ? page_.find("</style", at_) : page_.find('<', at_);
    const std::string_view raw = page_.substr(at_, std::min(end, page_.size()) - at_);
    if (!open_.empty()) out_.elements[open_.back()].text += in_style ? std::string(raw) : entities(raw);
    at_ += raw.size();
  }

  void markup() {
    const std::size_t end = page_.find('>', at_);
    if (end == std::string_view::npos) {
      fault("a tag without end");
      at_ = page_.size();
      return;
    }
    std::string_view tag = page_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (tag.starts_with('/')) return close(tag.substr(1));
    const bool is_empty = tag.ends_with('/');
    if (is_empty) tag.remove_suffix(1);
    PageElement element;
    const std::size_t name_end = std::min(tag.find(' '), tag.size());
    element.tag = tag.substr(0, name_end);
    static const std::set<std::string> known = {
        "html",       "head",       "meta",    "title",   "style",   "body",  "a",     "header", "h1",   "p",      "nav",
        "ul",         "li",         "main",    "section", "h2",      "h3",    "dl",    "dt",     "dd",   "strong", "pre",
        "code",       "blockquote", "div",     "table",   "caption", "thead", "tbody", "tr",     "th",   "td",     "figure",
        "figcaption", "details",    "summary", "svg",     "desc",    "path",  "text",  "circle", "rect", "footer"};
    if (!known.contains(element.tag)) fault("an element that no report writes: " + element.tag);
    attributes(tag.substr(name_end), element);
    out_.elements.push_back(element);
    if (!is_empty) open_.push_back(out_.elements.size() - 1);
  }

  void close(std::string_view tag) {
    if (open_.empty() || out_.elements[open_.back()].tag != tag) return fault("closed, but not opened last: " + std::string(tag));
    open_.pop_back();
  }

  void attributes(std::string_view rest, PageElement& element) {
    while (!rest.empty()) {
      if (rest.front() != ' ') return fault("no blank before an attribute of " + element.tag);
      rest.remove_prefix(1);
      const std::size_t equals = rest.find("=\"");
      if (equals == std::string_view::npos) return fault("an attribute without a value in " + element.tag);
      const std::string name(rest.substr(0, equals));
      rest.remove_prefix(equals + 2);
      const std::size_t quote = rest.find('"');
      if (quote == std::string_view::npos) return fault("an open quote in " + element.tag);
      if (!element.attributes.emplace(name, entities(rest.substr(0, quote))).second) fault("an attribute twice: " + name);
      if (name.starts_with("on")) fault("a handler of events: " + name);
      rest.remove_prefix(quote + 1);
    }
  }

  void check_ids() {
    std::set<std::string> ids;
    for (const PageElement& element : out_.elements)
      if (const auto id = element.attributes.find("id"); id != element.attributes.end() && !ids.insert(id->second).second)
        fault("an id twice: " + id->second);
    for (const PageElement& element : out_.elements) {
      if (const auto labels = element.attributes.find("aria-labelledby"); labels != element.attributes.end()) {
        std::string_view rest = labels->second;
        while (!rest.empty()) {
          const std::size_t end = std::min(rest.find(' '), rest.size());
          if (!ids.contains(std::string(rest.substr(0, end)))) fault("no element has the id " + std::string(rest.substr(0, end)));
          rest.remove_prefix(std::min(end + 1, rest.size()));
        }
      }
      if (element.tag == "a" && !element.attribute("href").starts_with('#'))
        fault("a link to outside: " + element.attribute("href"));
      else if (element.tag == "a" && !ids.contains(element.attribute("href").substr(1)))
        fault("a link to nowhere: " + element.attribute("href"));
      if (element.tag == "svg" && (element.attribute("role") != "img" || !element.attributes.contains("aria-labelledby")))
        fault("a drawing without a name");
      if (element.tag == "th" && !element.attributes.contains("scope")) fault("a heading of a table without scope");
    }
  }

  void check_headings() {
    int last = 0;
    for (const PageElement& element : out_.elements) {
      if (element.tag.size() != 2 || element.tag[0] != 'h' || std::isdigit(static_cast<unsigned char>(element.tag[1])) == 0) continue;
      const int level = element.tag[1] - '0';
      if (level > last + 1) fault("a heading of level " + std::to_string(level) + " after " + std::to_string(last));
      if (element.text.empty()) fault("an empty heading");
      last = level;
    }
    if (std::ranges::count(out_.elements, "h1", &PageElement::tag) != 1) fault("not one heading of the page");
  }

  void check_outside() {
    for (const PageElement& element : out_.elements)
      for (const auto& [name, value] : element.attributes)
        if (name == "src" || name == "xlink:href" || (name == "href" && !value.starts_with('#'))) fault("something is loaded: " + value);
    for (const PageElement& element : out_.elements)
      if (element.tag == "style" && (element.text.find("url(") != std::string::npos || element.text.find("@import") != std::string::npos))
        fault("the style sheet loads something");
  }

  std::string_view page_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;
  CheckedPage out_;
};

[[nodiscard]] inline CheckedPage checked(std::string_view page) { return PageReader(page).read(); }

}  // namespace ardvark::testing
