#include "report/html.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <type_traits>

#include "ardvark/errors.hpp"
#include "page_check.hpp"
#include "report/chart.hpp"

namespace ardvark::internal::report {
namespace {

// A text of the running program can neither be a tag nor the name of an attribute: it does not compile. (A pointer to characters is refused
// by the constructor, which runs in the compiler only.)
static_assert(!std::is_constructible_v<Literal, std::string> && !std::is_constructible_v<Literal, std::string_view>);

TEST(HtmlWriter, EscapesEveryText) {
  Html html;
  html.open("p", {{"title", "\"><script>alert('x')</script>"}});
  html.text("<b>&amp; \"quoted\" 'single'</b>");
  html.close("p");
  EXPECT_EQ(html.take(),
            "<p title=\"&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\">&lt;b&gt;&amp;amp; &quot;quoted&quot; "
            "&#39;single&#39;&lt;/b&gt;</p>");
}

TEST(HtmlWriter, ShowsBytesThatAreNoText) {
  EXPECT_EQ(escaped(std::string("a\0b\x1b[1m\xff", 8)), "a\\x00b\\x1b[1m\\xff");
  EXPECT_EQ(escaped("\u00b5g \u65e5\u672c"), "\u00b5g \u65e5\u672c");
}

TEST(HtmlWriter, RefusesElementsThatAreNotNested) {
  Html html;
  html.open("p");
  EXPECT_THROW(html.close("div"), InternalError);
  EXPECT_THROW((void)html.take(), InternalError);
  html.close("p");
  EXPECT_THROW(html.close("p"), InternalError);
  EXPECT_EQ(html.take(), "<p></p>");
}

TEST(HtmlWriter, ShortensByCharactersAndNotByBytes) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abcde\u2026");
  EXPECT_EQ(shortened("\u00e4\u00f6\u00fc\u00df", 3), "\u00e4\u00f6\u2026");
}

TEST(PageCheck, FindsWhatIsWrong) {
  const auto faults = [](const std::string& body) {
    return testing::checked("<!DOCTYPE html><html><body><h1>t</h1>" + body + "</body></html>").faults;
  };
  EXPECT_TRUE(faults("<p>fine &amp; good</p>").empty());
  for (const char* const wrong : {"<p>a & b</p>", "<p>", "<p></div></p>", "<script>x</script>", "<p onclick=\"x\">a</p>",
                                  "<p id=\"a\">a</p><p id=\"a\">b</p>", "<h3>deep</h3>", "<a href=\"https://example.org\">x</a>",
                                  "<svg></svg>", "<p title=\"a\" title=\"b\">c</p>", "<div aria-labelledby=\"nobody\">a</div>"})
    EXPECT_FALSE(faults(wrong).empty()) << wrong;
}

TEST(Ticks, AreRoundNumbersInsideOfTheAxis) {
  const Ticks ticks = ticks_between(-0.31, 1.04, 5);
  EXPECT_EQ(ticks.labels, (std::vector<std::string>{"0.0", "0.5", "1.0"}));
  EXPECT_EQ(ticks_between(0, 1, 5).labels, (std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(ticks_between(2e6, 4e6, 2).labels, (std::vector<std::string>{"2e+06", "3e+06", "4e+06"}));
  EXPECT_TRUE(ticks_between(1, 1).at.empty());
  EXPECT_TRUE(ticks_between(0, INFINITY).at.empty());
}

TEST(AxisExtent, HasSpaceAroundASingleNumberAndIgnoresWhatIsNone) {
  AxisExtent extent;
  extent.add(NAN), extent.add(INFINITY);
  EXPECT_TRUE(extent.is_empty());
  extent.add(4);
  const Scale scale = extent.scale(0, 100, 0);
  EXPECT_LT(scale.low, 4);
  EXPECT_GT(scale.high, 4);
  EXPECT_DOUBLE_EQ(scale(4), 50);
}

}  // namespace
}  // namespace ardvark::internal::report
