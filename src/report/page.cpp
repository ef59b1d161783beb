#include "report/page.hpp"

#include <fmt/format.h>

#include "core/version.hpp"
#include "report/style.hpp"

namespace ardvark::internal::report {

Page::Page(std::string title, std::string lead) : title_(std::move(title)), lead_(std::move(lead)) {}

void Page::end_section() {
  if (is_in_section_) html_.close("section"), html_.line();
  is_in_section_ = false;
}

void Page::section(const std::string& heading) {
  end_section();
  headings_.push_back(heading);
  const std::string id = fmt::format("s{}", headings_.size());
  html_.open("section", {{"aria-labelledby", id}});
  html_.element("h2", heading, {{"id", id}});
  html_.line();
  is_in_section_ = true;
}

void Page::subsection(const std::string& heading) {
  html_.element("h3", heading);
  html_.line();
}

void Page::paragraph(const std::string& text) {
  if (text.empty()) return;
  html_.element("p", text);
  html_.line();
}

void Page::list(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return;
  html_.open("ul");
  for (const std::string& sentence : sentences) html_.element("li", sentence);
  html_.close("ul");
  html_.line();
}

void Page::facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  html_.open("dl");
  for (const auto& [name, text] : facts) {
    html_.element("dt", name);
    html_.element("dd", text);
  }
  html_.close("dl");
  html_.line();
}

void Page::warning(const std::string& text) {
  html_.open("p", {{"class", "warning"}});
  html_.element("strong", "Warning: ");
  html_.text(text);
  html_.close("p");
  html_.line();
}

void Page::code(const std::string& text) {
  html_.open("pre");
  html_.element("code", text);
  html_.close("pre");
  html_.line();
}

void Page::quotation(const std::string& text) {
  html_.open("blockquote");
  html_.text(text);
  html_.close("blockquote");
  html_.line();
}

std::string Page::next_id() { return fmt::format("f{}", ++num_ids_); }

std::string Page::finish() {
  end_section();
  Html page;
  page.literal("<!DOCTYPE html>\n");
  page.open("html", {{"lang", "en"}});
  page.open("head");
  page.empty("meta", {{"charset", "utf-8"}});
  page.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  page.empty("meta", {{"name", "generator"}, {"content", fmt::format("ardvark {}", library_version())}});
  // Nothing is loaded, whatever a browser thinks that it could load.
  page.empty("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", "default-src 'none'; style-src 'unsafe-inline'"}});
  page.element("title", title_);
  page.open("style");
  page.literal(style_sheet);
  page.close("style");
  page.close("head");
  page.line();
  page.open("body");
  page.element("a", "Skip to the report", {{"class", "skip"}, {"href", "#report"}});
  page.open("header");
  page.element("h1", title_);
  page.element("p", lead_, {{"class", "lead"}});
  page.close("header");
  page.open("nav", {{"aria-label", "Contents"}});
  page.open("ul");
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    page.open("li");
    page.element("a", headings_[i], {{"href", fmt::format("#s{}", i + 1)}});
    page.close("li");
  }
  page.close("ul");
  page.close("nav");
  page.line();
  page.open("main", {{"id", "report"}, {"tabindex", "-1"}});
  page.line();
  page.append(std::move(html_));
  page.close("main");
  page.open("footer");
  page.element("p", fmt::format("Written by ardvark {}. This page is one file and loads nothing: it can be kept, sent and printed.",
                                library_version()));
  page.close("footer");
  page.close("body");
  page.close("html");
  page.line();
  return page.take();
}

void write_table(Html& html, const PlainTable& table) {
  constexpr std::size_t long_table = 20;  // lines that a page of paper holds beside other things
  html.open("div", {{"class", "scroll"}, {"role", "region"}, {"aria-labelledby", table.id}, {"tabindex", "0"}});
  html.open("table", {{"class", table.lines.size() > long_table ? "long" : "short"}});
  html.element("caption", table.caption, {{"id", table.id}});
  html.open("thead");
  html.open("tr");
  for (const std::string& title : table.titles) html.element("th", title, {{"scope", "col"}});
  html.close("tr");
  html.close("thead");
  html.open("tbody");
  for (const auto& line : table.lines) {
    html.line();
    html.open("tr");
    for (std::size_t j = 0; j < line.size(); ++j)
      if (j == 0)
        html.element("th", line[j], {{"scope", "row"}});
      else
        html.element("td", line[j]);
    html.close("tr");
  }
  html.close("tbody");
  html.close("table");
  html.close("div");
  html.line();
}

}  // namespace ardvark::internal::report
