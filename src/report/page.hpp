// The page around the sections of a report: one file of HTML that loads nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/html.hpp"

namespace ardvark::internal::report {

/// A page with numbered ids: sections, figures and tables get theirs here, so that none is used twice.
class Page {
 public:
  /// \param title  of the page, and its heading \param lead  one line below it
  Page(std::string title, std::string lead);

  /// Begins a section; the one before ends. Its heading is in the contents of the page.
  void section(const std::string& heading);
  /// A heading inside of a section.
  void subsection(const std::string& heading);
  void paragraph(const std::string& text);
  /// A list of sentences; an empty list writes nothing.
  void list(const std::vector<std::string>& sentences);
  /// Names and what is said of them.
  void facts(const std::vector<std::pair<std::string, std::string>>& facts);
  /// Something to know before one trusts the result.
  void warning(const std::string& text);
  /// Text to be copied: a command.
  void code(const std::string& text);
  /// A paragraph to be copied.
  void quotation(const std::string& text);

  [[nodiscard]] Html& html() { return html_; }
  /// "f1", "f2", ...
  [[nodiscard]] std::string next_id();
  /// The whole page.
  [[nodiscard]] std::string finish();

 private:
  void end_section();

  std::string title_, lead_;
  Html html_;
  std::vector<std::string> headings_;
  int num_ids_ = 0;
  bool is_in_section_ = false;
};

/// A table with a caption. The first cell of a line is its name; all others are numbers or short texts.
struct PlainTable {
  std::string id, caption;
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> lines;
};
/// It scrolls by itself where the page is narrower, also by keyboard.
void write_table(Html& html, const PlainTable& table);

}  // namespace ardvark::internal::report
