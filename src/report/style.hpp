// The style sheet of a report.
#pragma once

#include "report/html.hpp"

namespace ardvark::internal::report {

/// Light and dark, on a screen of any width and on paper. Every pair of text and background has a contrast of at least 4.5.
inline constexpr Literal style_sheet = R"css(
:root{color-scheme:light dark;--page:#fff;--soft:#f2f4f7;--text:#1a1d21;--quiet:#4f5863;--rule:#c9ced6;--mark:#0b5394;--weak:#7a93ad;--band:#bcd3ea;--alarm:#8a2b06;--alarm-page:#fdf1ea}
@media (prefers-color-scheme:dark){:root{--page:#15181c;--soft:#20252b;--text:#e8eaed;--quiet:#b0b8c1;--rule:#454d57;--mark:#8ab8f0;--weak:#7f93aa;--band:#274666;--alarm:#ffb38f;--alarm-page:#33211a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
header,nav,main,footer{max-width:62rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.5rem}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.25rem;margin:2.2rem 0 .6rem;padding-bottom:.2rem;border-bottom:1px solid var(--rule)}
h3{font-size:1.05rem;margin:1.4rem 0 .4rem}
p,ul,dl{margin:.5rem 0}
p,li,dd{overflow-wrap:anywhere}
p,li,blockquote{max-width:46rem}
.lead{color:var(--quiet);margin:0}
a{color:var(--mark)}
a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
.skip{position:absolute;left:-100rem;top:0;background:var(--page);color:var(--mark);padding:.5rem 1rem;z-index:1}
.skip:focus{left:0}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;padding:0;margin:.9rem 0 0}
dl{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:.15rem 1rem}
dt{color:var(--quiet);overflow-wrap:anywhere}
dd{margin:0}
.warning{background:var(--alarm-page);border-left:4px solid var(--alarm);padding:.5rem .8rem;margin:.6rem 0}
.warning strong{color:var(--alarm)}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
caption{text-align:left;color:var(--quiet);padding:.2rem 0 .4rem}
th,td{padding:.22rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
tbody th,thead th:first-child{text-align:left}
tbody th{font-weight:600;white-space:normal;overflow-wrap:anywhere;min-width:7rem;max-width:22rem}
thead th{color:var(--quiet);font-weight:600;vertical-align:bottom}
pre,blockquote{background:var(--soft);padding:.7rem .9rem;margin:.6rem 0;border-radius:4px}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.87rem}
blockquote{overflow-wrap:anywhere}
code{overflow-wrap:anywhere;font-size:.9em}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:1rem 2rem;align-items:start}
figure{margin:.8rem 0;max-width:30rem}
svg{width:100%;height:auto;display:block;font:12px system-ui,-apple-system,"Segoe UI",Roboto,Arial,"DejaVu Sans",sans-serif}
figcaption{color:var(--quiet);font-size:.9rem}
summary{cursor:pointer;color:var(--mark);font-size:.9rem}
svg text{fill:var(--text)}
.tick{font-size:11px}.middle{text-anchor:middle}.end{text-anchor:end}.strong{font-weight:700}.above{font-size:11px}
.grid{stroke:var(--rule);stroke-width:.6}.axis{stroke:var(--quiet);stroke-width:1}
.mark{stroke:var(--mark);stroke-width:3;fill:none}.faint{stroke:var(--weak);stroke-width:2;fill:none}
.second{stroke:var(--weak);stroke-width:2.2;stroke-dasharray:6 3;fill:none}.third{stroke:var(--text);stroke-width:1.8;stroke-dasharray:2 3;fill:none}
.limit{stroke:var(--quiet);stroke-width:1.2;stroke-dasharray:4 3;fill:none}
.full{fill:var(--mark)}.hollow{fill:var(--page);stroke:var(--weak);stroke-width:2}
.points{stroke:var(--weak);stroke-width:4;stroke-linecap:round;fill:none}.outside{stroke:var(--alarm);stroke-width:5;stroke-linecap:round;fill:none}
.bar{fill:var(--mark)}.bar.weak{fill:var(--weak)}.rail{fill:var(--soft)}.band{fill:var(--band)}
footer{color:var(--quiet);font-size:.87rem;padding-top:1.5rem;padding-bottom:2rem}
@media (max-width:36rem){dl{grid-template-columns:1fr}dd{margin:0 0 .35rem}}
@media print{:root{color-scheme:light;--page:#fff;--soft:#f2f4f7;--text:#000;--quiet:#3c444d;--rule:#b5bbc4;--mark:#0b5394;--weak:#7a93ad;--band:#bcd3ea;--alarm:#8a2b06;--alarm-page:#fff}
body{font-size:10.5pt}nav,.skip,details{display:none}figure,table,.warning,blockquote,pre{break-inside:avoid}table.long{break-inside:auto}tr{break-inside:avoid}h2,h3,caption{break-after:avoid}.scroll{overflow:visible}.figures{grid-template-columns:1fr 1fr}header,main,footer{max-width:none;padding:0}}
@page{margin:16mm}
)css";

}  // namespace ardvark::internal::report
