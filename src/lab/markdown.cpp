// SPDX-License-Identifier: Apache-2.0
#include "lab/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "lab/answers.h"
#include "lab/chapters.h"
#include "lab/chart_svg.h"
#include "lab/figures.h"
#include "lab/join.h"
#include "lab/kernel_code.h"
#include "lab/prose.h"
#include "lab/roofline_chart.h"
#include "lab/roofline_table.h"
#include "lab/source_documents.h"
#include "lab/table.h"

namespace wideload::lab {
namespace {

std::string table_text(const Table& table) {
    const auto row = [](const std::vector<std::string>& cells) {
        std::string line = "|";
        for (const std::string& cell : cells) line += " " + markdown_of_words(cell) + " |";
        return line + "\n";
    };
    std::string text = row(table.heads) + "|";
    for (std::size_t column = 0; column < table.heads.size(); ++column) {
        text += table.is_text(column) ? " --- |" : " ---: |";
    }
    text += '\n';
    for (const auto& cells : table.rows) text += row(cells);
    return text + '\n';
}

/// Long tables are folded: the page is read for its figures.
std::string folded(const std::string& summary, const std::string& content) {
    return "<details><summary>" + summary + "</summary>\n\n" + content + "</details>\n\n";
}

/// A page, and the figures that it shows as files beside it.
class Page {
public:
    Page(std::string name, std::vector<PageFile>& files) : name_(std::move(name)), files_(files) {}

    void add(std::string_view text) { text_ += text; }
    void add_figure(std::string svg, const std::string& title) {
        if (!svg.ends_with('\n')) svg += '\n';
        const std::string file = fmt::format("figures/{}-{}.svg", name_, ++figures_);
        text_ += fmt::format("![{}]({})\n\n", markdown_of_words(title), file);
        files_.push_back({file, std::move(svg)});
    }
    void finish() { files_.push_back({name_ + ".md", text_}); }

private:
    std::string name_, text_;
    int figures_ = 0;
    std::vector<PageFile>& files_;
};

void add_pictures(Page& page, const Chapter& chapter) {
    for (const Staircase& staircase : chapter.description->staircases) {
        page.add_figure(staircase_svg(staircase), staircase.title);
    }
    for (const Picture& picture : chapter.description->pictures) {
        const auto drawn = draw(picture, chapter);
        if (!drawn) continue;
        page.add(fmt::format("**{}** ({})\n\n", markdown_of_words(picture.title),
                             markdown_of_words(run_words(drawn->of->results))));
        page.add_figure(drawn->svg, picture.title);
    }
}

/// The kernels as their sources have them, folded.
void add_code(Page& page, const Description& description) {
    for (const CodeFile& file : kernel_code(description.name)) {
        page.add(
            folded("Kernels: <code>" + file.name + "</code>", "```cuda\n" + file.code + "```\n\n"));
    }
}

void add_answers(Page& page, const Chapter& chapter) {
    const std::vector<Answer> answers = answers_of(chapter);
    if (answers.empty()) return;
    page.add("## What came out\n\n");
    for (const Answer& answer : answers) {
        const std::string of = whose(answer, chapter);
        page.add(fmt::format("- {} {}{}\n", answer.holds ? "✓" : "✗",
                             markdown_of_words(answer.sentence),
                             of.empty() ? "" : " *(" + markdown_of_words(of) + ")*"));
    }
    page.add("\n");
}

std::string checks_text(const Outcome& outcome) {
    std::string text;
    for (const Difference& difference : differences(outcome.results)) {
        text += "- ✗ " + markdown_of_words(words(difference, outcome)) + "\n";
    }
    if (!text.empty()) return text + "\n";
    const std::size_t checked = checked_counts(outcome.results);
    if (checked == 0) return {};
    return fmt::format("All {} counts are what the formulas of their launches say.\n\n",
                       figure(static_cast<double>(checked)));
}

void add_results(Page& page, const Outcome& outcome, const Description& description) {
    const Outcome shown{description, outcome.results};
    page.add("## " + markdown_of_words(machine_words(outcome.results)) + "\n\n");
    for (const Chart& chart : description.charts) {
        if (auto drawn = chart_svg(chart, shown)) page.add_figure(*drawn, chart.title);
    }
    const Table summary = summary_of(shown);
    if (!summary.rows.empty()) page.add(table_text(summary));
    page.add(checks_text(shown));
    page.add(folded(fmt::format("{} points", outcome.results.points.size()),
                    table_text(table_of(shown))));
}

const std::vector<const Outcome*>& quoted(const Chapter& chapter) {
    return chapter.beside.empty() ? chapter.own : chapter.beside;
}

void add_chapter(const Chapter& chapter, std::vector<PageFile>& files) {
    const Description& description = *chapter.description;
    Page page(description.name, files);
    std::string sources;
    for (const std::string& source : description.sources) {
        sources += (sources.empty() ? "" : ", ") + markdown_of_words(source);
    }
    page.add(fmt::format(
        "# {}. {}\n\nExperiment `{}`, from [document](index.md#documents) {}: "
        "`wideload lab {}`. "
        "[All experiments](index.md)\n\n**{}**\n\n## What is expected\n\n{}\n\n",
        description.chapter, markdown_of_words(description.title), description.name,
        markdown_of_words(sources), description.name, markdown_of_words(description.question),
        markdown_of_words(description.expectation)));
    add_code(page, description);
    add_pictures(page, chapter);
    add_answers(page, chapter);
    for (const Outcome* outcome : quoted(chapter)) add_results(page, *outcome, description);
    page.finish();
}

/// "88 of 88": of the counts that a formula says, those that it says rightly.
std::string count_words(const std::vector<const Outcome*>& outcomes) {
    std::size_t checked = 0, wrong = 0;
    for (const Outcome* outcome : outcomes) {
        checked += checked_counts(outcome->results);
        for (const Difference& difference : differences(outcome->results)) {
            if (!difference.counter.empty()) ++wrong;
        }
    }
    if (checked == 0) return "none";
    return fmt::format("{} of {}", figure(static_cast<double>(checked - wrong)),
                       figure(static_cast<double>(checked)));
}

/// "7 of 8": of the sentences that results can answer.
std::string answer_words(const Chapter& chapter) {
    const std::vector<Answer> answers = answers_of(chapter);
    if (answers.empty()) return "none";
    return fmt::format("{} of {}", std::ranges::count(answers, true, &Answer::holds),
                       answers.size());
}

void add_worded(Page& page, const std::string& sentence, const Table& table,
                std::string_view of_rows) {
    if (!sentence.empty()) page.add(markdown_of_words(sentence) + "\n\n");
    page.add(folded(fmt::format("{} {}", table.rows.size(), of_rows), table_text(table)));
}

void add_roofline(Page& page, const std::vector<Outcome>& outcomes) {
    if (const std::optional<std::string> drawn = roofline_svg(outcomes)) {
        page.add_figure(*drawn, "Kernels under the roofs: " + outcomes.front().results.machine.gpu);
        add_worded(page, roofline_words(outcomes), roofline_table(outcomes), "kernels");
    }
    const Table traffic = traffic_table(outcomes);
    if (!traffic.rows.empty()) {
        add_worded(page, traffic_words(outcomes), traffic, "kernels by what DRAM moved");
    }
}

void add_documents(Page& page) {
    page.add("\n## Documents\n\nThe experiments come from five texts, by their numbers:\n\n");
    for (const SourceDocument& document : source_documents()) {
        const std::string title = markdown_of_words(document.title);
        page.add(fmt::format(
            "- {}: {}, {}\n", document.number,
            document.link.empty() ? title : fmt::format("[{}]({})", title, document.link),
            markdown_of_words(document.more)));
    }
}

void add_index(const std::vector<Chapter>& chapters, const PageInput& input,
               std::vector<PageFile>& files) {
    Page page("index", files);
    page.add(
        "# The experiments of the lab\n\nWhat each asks and expects, and what came out. `wideload "
        "lab` wrote these pages; [lab.md](../lab.md) says how.\n\n"
        "| chapter | experiment | question | sentences that hold | counts as their formulas say |\n"
        "| ---: | --- | --- | ---: | ---: |\n");
    std::vector<const Outcome*> all;
    for (const Chapter& chapter : chapters) {
        const Description& description = *chapter.description;
        page.add(fmt::format("| {} | [{}]({}.md) | {} | {} | {} |\n", description.chapter,
                             markdown_of_words(description.title), description.name,
                             markdown_of_words(description.question), answer_words(chapter),
                             count_words(quoted(chapter))));
        if (description.name == kTextFollows) {
            page.add(
                fmt::format("| | [{}](../registers.md) | {} | | |\n", kTextChapter,
                            "Why has a GPU thousands of registers where a CPU shows sixteen?"));
        }
        all.insert(all.end(), quoted(chapter).begin(), quoted(chapter).end());
    }
    page.add(fmt::format("\nOf all counts {} are what the formulas of their launches say.\n",
                         count_words(all)));
    add_documents(page);
    page.add("\n## Every kernel under the roofs\n\n");
    add_roofline(page, input.outcomes);
    add_roofline(page, input.beside);
    page.finish();
}

}  // namespace

std::vector<PageFile> markdown_pages(const PageInput& input) {
    std::vector<PageFile> files;
    const std::vector<Chapter> chapters = chapters_of(input.outcomes, input.beside);
    for (const Chapter& chapter : chapters) add_chapter(chapter, files);
    add_index(chapters, input, files);
    return files;
}

}  // namespace wideload::lab
