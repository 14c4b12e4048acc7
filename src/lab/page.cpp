// SPDX-License-Identifier: Apache-2.0
#include "lab/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/answers.h"
#include "lab/chapters.h"
#include "lab/chart.h"
#include "lab/figures.h"
#include "lab/join.h"
#include "lab/kernel_code.h"
#include "lab/page_parts.h"
#include "lab/prose.h"
#include "lab/roofline_chart.h"
#include "lab/roofline_table.h"
#include "lab/source_documents.h"
#include "lab/table.h"
#include "report/markup.h"

namespace wideload::lab {
namespace {

using report::escaped;

constexpr std::string_view kRegistersChapter =
#include "lab/registers_chapter.inc"
    ;

std::string row_html(const Table& table, const std::vector<std::string>& cells,
                     std::string_view element) {
    std::string markup = "<tr>";
    for (std::size_t column = 0; column < cells.size(); ++column) {
        markup +=
            fmt::format("<{0}{1}>{2}</{0}>", element,
                        table.is_text(column) ? R"( class="text")" : "", escaped(cells[column]));
    }
    return markup + "</tr>\n";
}

std::string table_html(const Table& table) {
    std::string markup = "<div class=\"scroll\"><table><thead>" +
                         row_html(table, table.heads, "th") + "</thead><tbody>\n";
    for (const auto& row : table.rows) markup += row_html(table, row, "td");
    return markup + "</tbody></table></div>\n";
}

/// JSON inside a script element: "</script" in a string must not end it.
std::string json_in_script(std::string json) {
    for (std::size_t at = json.find("</"); at != std::string::npos; at = json.find("</", at + 3)) {
        json.replace(at, 2, "<\\/");
    }
    return json;
}

std::string chart_html(const std::string& specification) {
    return "<div class=\"chart\"><script type=\"application/json\">" +
           json_in_script(specification) + "</script><div class=\"canvas\"></div></div>\n";
}

std::string charts_html(const Outcome& outcome) {
    std::string markup;
    for (const Chart& chart : outcome.description.charts) {
        const auto specification = chart_specification(chart, outcome);
        if (specification) markup += chart_html(*specification);
    }
    return markup;
}

std::string staircases_html(const Description& description) {
    std::string markup;
    for (const Staircase& staircase : description.staircases) {
        markup += chart_html(staircase_specification(staircase));
    }
    return markup;
}

std::string pictures_html(const Chapter& chapter) {
    std::string markup;
    for (const Picture& picture : chapter.description->pictures) {
        if (const auto drawn = draw(picture, chapter)) {
            markup += fmt::format(
                "<figure class=\"{}\"><figcaption><b>{}</b> <span class=\"run\">{}</span>"
                "</figcaption>{}</figure>\n",
                name(picture.kind), escaped(picture.title), escaped(run_words(drawn->of->results)),
                drawn->svg);
        }
    }
    return markup;
}

std::string answers_html(const Chapter& chapter) {
    const std::vector<Answer> answers = answers_of(chapter);
    if (answers.empty()) return {};
    std::string markup = "<h3>What came out</h3>\n<ul class=\"findings\">\n";
    for (const Answer& answer : answers) {
        const std::string of = whose(answer, chapter);
        markup += fmt::format("<li class=\"{}\">{}{}</li>\n", answer.holds ? "holds" : "fails",
                              html_of_words(answer.sentence),
                              of.empty() ? "" : " <span class=\"run\">" + escaped(of) + "</span>");
    }
    return markup + "</ul>\n";
}

/// The kernels as their sources have them, folded.
std::string code_html(const Description& description) {
    std::string markup;
    for (const CodeFile& file : kernel_code(description.name)) {
        markup += fmt::format(
            "<details class=\"code\"><summary>Kernels: <code>{}</code></summary>"
            "<pre><code>{}</code></pre></details>\n",
            escaped(file.name), escaped(file.code));
    }
    return markup;
}

std::string checks_html(const Outcome& outcome) {
    std::string markup;
    for (const Difference& difference : differences(outcome.results)) {
        markup += "<p class=\"difference\">" + escaped(words(difference, outcome)) + "</p>\n";
    }
    if (!markup.empty()) return markup;
    const std::size_t checked = checked_counts(outcome.results);
    if (checked == 0) return {};
    return fmt::format(
        "<p class=\"checked\">All {} counts are what the formulas of their launches "
        "say.</p>\n",
        checked);
}

std::string results_html(const Outcome& outcome, bool with_charts) {
    std::string markup = "<h3>" + escaped(machine_words(outcome.results)) + "</h3>\n";
    if (with_charts) markup += charts_html(outcome);
    const Table summary = summary_of(outcome);
    if (!summary.rows.empty()) markup += table_html(summary);
    return markup + table_html(table_of(outcome)) + checks_html(outcome);
}

/// An experiment's words, of which blank lines make paragraphs.
std::string paragraphs_html(std::string_view words) {
    std::string markup;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find("\n\n"), words.size());
        markup += "<p>" + html_of_words(words.substr(0, end)) + "</p>\n";
        words.remove_prefix(std::min(end + 2, words.size()));
    }
    return markup;
}

std::string chapter_html(const Chapter& chapter, bool with_charts) {
    const Description& description = *chapter.description;
    std::string sources;
    for (const std::string& source : description.sources) {
        sources += (sources.empty() ? "" : ", ") + source;
    }
    std::string markup = fmt::format(
        "<section id=\"{}\">\n<h2>{}. {}</h2>\n<p class=\"machine\">Experiment <code>{}</code>, "
        "from "
        "<a href=\"#documents\">document</a> {}</p>\n<p class=\"question\">{}</p>\n<h3>What is "
        "expected</h3>\n{}",
        escaped(description.name), description.chapter, escaped(description.title),
        escaped(description.name), escaped(sources), html_of_words(description.question),
        paragraphs_html(description.expectation));
    markup += code_html(description);
    if (with_charts) markup += staircases_html(description);
    markup += pictures_html(chapter) + answers_html(chapter);
    for (const Outcome* outcome : chapter.own) markup += results_html(*outcome, with_charts);
    for (const Outcome* outcome : chapter.beside) {
        markup += results_html({description, outcome->results}, with_charts);
    }
    return markup + "</section>\n";
}

/// A table below what is said of it, if anything is.
std::string worded(const std::string& sentence, const Table& table) {
    return (sentence.empty() ? "" : "<p>" + escaped(sentence) + "</p>\n") + table_html(table);
}

/// Every kernel by its arithmetic intensity, with the roof that binds it.
std::string roofline_html(const std::vector<Outcome>& outcomes, bool with_charts) {
    const Table kernels = roofline_table(outcomes), traffic = traffic_table(outcomes);
    if (kernels.rows.empty() && traffic.rows.empty()) return {};
    std::string markup = "<h3>" + escaped(machine_words(outcomes.front().results)) + "</h3>\n";
    if (const auto specification = roofline_specification(outcomes); specification && with_charts) {
        markup += chart_html(*specification);
    }
    if (!kernels.rows.empty()) markup += worded(roofline_words(outcomes), kernels);
    if (!traffic.rows.empty()) markup += worded(traffic_words(outcomes), traffic);
    return markup;
}

std::string documents_html() {
    std::string markup =
        "<footer id=\"documents\">\n<h2>Documents</h2>\n<p>The experiments come from five texts, "
        "by "
        "their numbers:</p>\n<ul>\n";
    for (const SourceDocument& document : source_documents()) {
        std::string title = escaped(document.title);
        if (!document.link.empty()) {
            title = fmt::format("<a href=\"{}\">{}</a>", escaped(document.link), title);
        }
        markup +=
            fmt::format("<li>{}: {}, {}</li>\n", document.number, title, escaped(document.more));
    }
    return markup + "</ul>\n</footer>\n";
}

std::string contents_html(const std::vector<Chapter>& chapters) {
    std::string markup = "<nav><ol>\n";
    for (const Chapter& chapter : chapters) {
        markup += fmt::format("<li value=\"{}\"><a href=\"#{}\">{}</a></li>\n",
                              chapter.description->chapter, escaped(chapter.description->name),
                              escaped(chapter.description->title));
        if (chapter.description->name == kTextFollows) {
            markup += fmt::format("<li class=\"words\"><a href=\"#registers\">{}</a></li>\n",
                                  kTextChapter);
        }
    }
    return markup + "</ol></nav>\n";
}

}  // namespace

std::string html_page(const PageInput& input) {
    const bool with_charts = !input.vega.empty() && !input.vega_lite.empty();
    const std::vector<Chapter> chapters = chapters_of(input.outcomes, input.beside);
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\">"
        "<title>GPU memory bandwidth: the lab</title><style>";
    page += std::string(kPageStyle) + "</style></head>\n<body>\n" +
            "<h1>GPU memory bandwidth: the lab</h1>\n" + std::string(kPageIntroduction) +
            contents_html(chapters);
    for (const Chapter& chapter : chapters) {
        page += chapter_html(chapter, with_charts);
        if (chapter.description->name != kTextFollows) continue;
        page += "<section id=\"registers\" class=\"words\">\n" +
                html_of_markdown(kRegistersChapter) + "</section>\n";
    }
    const std::string rooflines =
        roofline_html(input.outcomes, with_charts) + roofline_html(input.beside, with_charts);
    if (!rooflines.empty()) {
        page +=
            "<section id=\"kernels-under-the-roofs\">\n<h2>Every kernel under the roofs</h2>\n" +
            rooflines + "</section>\n";
    }
    page += documents_html();
    if (with_charts) {
        page += "<script>" + input.vega + "</script>\n<script>" + input.vega_lite +
                "</script>\n<script>" + std::string(kPageScript) + "</script>\n";
    }
    return page + "</body></html>\n";
}

}  // namespace wideload::lab
