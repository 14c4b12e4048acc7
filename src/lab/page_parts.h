// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The parts of the page that no result changes.
namespace wideload::lab {

inline constexpr std::string_view kPageStyle = R"(
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 4rem; border-top: 1px solid #ccc; padding-top: 1rem; }
.machine { color: #555; font-size: 0.9rem; } .question { font-size: 1.1rem; font-style: italic; }
table { border-collapse: collapse; font-size: 0.85rem; margin: 1rem 0; } .scroll { max-height: 28rem; overflow: auto; }
th { background: #f3f3f3; text-align: right; vertical-align: bottom; position: sticky; top: 0; }
th, td { padding: 0.15rem 0.45rem; border-bottom: 1px solid #e4e4e4; } td { white-space: nowrap; } td { text-align: right; font-variant-numeric: tabular-nums; }
th.text, td.text { text-align: left; white-space: normal; min-width: 6rem; } figure { margin: 1.5rem 0; } .run { color: #777; font-size: 0.85rem; }
svg.picture { max-width: 100%; font-family: inherit; } .chart { overflow-x: auto; margin: 1rem 0; }
ul.findings { list-style: none; padding-left: 0; } .holds::before { content: "✓ "; color: #2a7d2a; } .fails::before { content: "✗ "; color: #b02020; }
table.words th, table.words td { text-align: left; white-space: normal; } li.words { list-style: none; }
pre { background: #f6f6f6; padding: 0.5rem; overflow-x: auto; font-size: 0.85rem; line-height: 1.35; } details.code { margin: 0.3rem 0; } .difference { color: #b02020; } .checked { color: #555; } footer { margin-top: 4rem; border-top: 1px solid #ccc; } nav ol { columns: 2; }
)";

inline constexpr std::string_view kPageIntroduction = R"(
<p>A GPU moves memory in <b>sectors</b> of 32 bytes. The 32 <b>lanes</b> of a warp execute one instruction together, and what they ask
for together is a <b>request</b>. The fewer sectors a request needs for the bytes that its lanes use, the less bandwidth is lost: the
<b>coalescing degree</b> is the share of moved bytes that was asked for. Every chapter asks one question, says what is expected and why,
and answers it by running. Its sentences are computed from the results and turn round when the results do; every count is held to a
formula of the launch.</p>
)";

/// Draws each element of class "chart" from the specification that it holds. What goes wrong is
/// kept on the body, where a test can see it.
inline constexpr std::string_view kPageScript = R"(
"use strict";
vega.expressionFunction("wideloadBytes", value => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (value >= 1024 && unit + 1 < units.length) { value /= 1024; ++unit; }
  return +value.toPrecision(3) + " " + units[unit];
});
Promise.all(Array.from(document.querySelectorAll(".chart"), async element => {
  const specification = JSON.parse(element.querySelector("script").textContent);
  const view = new vega.View(vega.parse(vegaLite.compile(specification).spec), {renderer: "svg", hover: true});
  await view.initialize(element.querySelector(".canvas")).runAsync();
})).then(() => { document.body.dataset.charts = "drawn"; },
         mistake => { document.body.dataset.charts = "failed"; console.error(mistake); });
)";

}  // namespace wideload::lab
