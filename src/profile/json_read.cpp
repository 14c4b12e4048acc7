// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <system_error>

#include "profile/document.h"
#include "profile/json.h"
#include "profile/json_reader.h"
#include "profile/launch_log.h"
#include "profile/mismatch_json.h"
#include "profile/names.h"

namespace wideload::profile {
namespace {

void read_location(const JsonReader& json, SourceLocation& where) {
    json.optional("file", where.file);
    json.optional("line", where.line);
    json.optional("column", where.column);
}

/// A name of a table, by its look-up function.
template <class Enum, class Find>
void read_name(const JsonReader& json, std::string_view member, Find find, Enum& out) {
    const auto found = json.member(member, true);
    if (!found) {
        return;
    }
    std::string spelled;
    found->read(spelled);
    if (const auto value = find(spelled)) {
        out = *value;
    } else if (found->value().is_string()) {
        found->error("\"" + spelled + "\" is none of the names that this schema has");
    }
}

std::optional<std::uint64_t> parse_number(std::string_view text, int base) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

}  // namespace

// JsonReader finds these by their argument, so they lie beside it.
static void read_members(const JsonReader& json, Diagnostic& diagnostic) {
    json.required("message", diagnostic.message);
    if (const auto where = json.member("where", false)) {
        read_location(*where, diagnostic.where);
    }
    json.optional("source_line", diagnostic.source_line);
    json.optional("hint", diagnostic.hint);
}

static void read_members(const JsonReader& json, Frame& frame) {
    read_location(json, frame.where);
    json.optional("function", frame.function);
}

template <class T>
static void read_members(const JsonReader& json, Shared<T>& out) {
    json.read(out.own());
}

static void read_members(const JsonReader& json, PatternShare& share) {
    read_name(json, "pattern", pattern, share.pattern);
    json.optional("bytes", share.bytes);
    json.required("requests", share.requests);
}

static void read_members(const JsonReader& json, Sample& sample) {
    json.optional("block", sample.block);
    json.optional("warp", sample.warp);
    json.required("sectors", sample.sectors);
    const auto base_member = json.member("base", true);
    const auto offsets = json.member("offsets", true);
    if (!base_member || !offsets) {
        return;
    }
    std::string text;
    base_member->read(text);
    const auto base =
        text.starts_with("0x") ? parse_number(std::string_view(text).substr(2), 16) : std::nullopt;
    if (!base) {
        base_member->error("should be an address such as \"0x7f0000000000\"");
        return;
    }
    if (!offsets->value().is_array() || offsets->value().size() != sample.addresses.size()) {
        offsets->error("should be an array of 32, null for inactive lanes");
        return;
    }
    std::size_t lane = 0;
    offsets->elements([&](const JsonReader& offset) {
        if (!offset.value().is_null()) {
            std::uint64_t distance = 0;
            offset.read(distance);
            sample.mask |= 1u << lane;
            sample.addresses[lane] = *base + distance;
        }
        ++lane;
    });
}

static void read_histogram(const JsonReader& json, std::map<std::uint32_t, std::uint64_t>& out) {
    json.members([&](const std::string& name, const JsonReader& requests) {
        const auto sectors = parse_number(name, 10);
        if (!sectors || *sectors > UINT32_MAX) {
            requests.error("is no number of sectors");
            return;
        }
        requests.read(out[static_cast<std::uint32_t>(*sectors)]);
    });
}

static void read_members(const JsonReader& json, Site& site) {
    json.required("opcode", site.opcode);
    read_name(json, "kind", site_kind, site.kind);
    json.optional("element_bytes", site.element_bytes);
    json.optional("vector_width", site.vector_width);
    json.optional("ptx_line", site.ptx_line);
    json.optional("parameter", site.parameter);
    json.required("executions", site.executions);
    json.optional("requests", site.requests);
    json.optional("active_lanes", site.active_lanes);
    json.optional("sectors", site.sectors);
    json.optional("ideal_sectors", site.ideal_sectors);
    json.optional("distinct_bytes", site.distinct_bytes);
    json.optional("wavefronts", site.wavefronts);
    json.optional("ideal_wavefronts", site.ideal_wavefronts);
    json.optional("divergent_executions", site.divergent_executions);
    if (const auto histogram = json.member("histogram", false)) {
        read_histogram(*histogram, site.histogram);
    }
    json.optional("patterns", site.patterns);
    json.optional("first", site.first);
    json.optional("worst", site.worst);
    site.worst.join(site.first);
}

static void read_members(const JsonReader& json, LaunchFault& fault) {
    json.required("kind", fault.kind);
    json.required("diagnostic", fault.diagnostic);
}

static void read_members(const JsonReader& json, Counters& counters) {
    json.members(
        [&](const std::string& name, const JsonReader& value) { value.read(counters[name]); });
}

static void read_members(const JsonReader& json, Launch& launch) {
    json.required("kernel", launch.kernel);
    json.required("mangled", launch.mangled);
    json.required("grid", launch.grid);
    json.required("block", launch.block);
    json.optional("dynamic_shared_bytes", launch.dynamic_shared_bytes);
    json.optional("static_shared_bytes", launch.static_shared_bytes);
    json.optional("registers", launch.registers);
    json.optional("cooperative", launch.cooperative);
    json.optional("process", launch.process);
    json.optional("device", launch.device);
    json.optional("stream", launch.stream);
    json.optional("count", launch.count);
    json.optional("summed", launch.summed);
    json.optional("host_ns", launch.host_ns);
    json.optional("fault", launch.fault);
    json.optional("mismatches", launch.mismatches);
    json.required("counters", launch.counters.own());
    json.optional("sites", launch.sites.own());
    if (launch.launches() == 0) {
        json.error("stands for no launch: \"count\" or \"summed\" is 0");
    }
}

static void read_members(const JsonReader& json, Process& process) {
    json.optional("pid", process.pid);
    json.required("program", process.program);
    json.optional("arguments", process.arguments);
    json.optional("exit_code", process.exit_code);
    json.optional("signal", process.signal);
}

static void read_members(const JsonReader& json, Device& device) {
    json.required("key", device.key);
    json.required("name", device.name);
    std::array<std::uint32_t, 2> capability{};
    json.required("compute_capability", capability);
    device.compute_major = capability[0];
    device.compute_minor = capability[1];
    json.optional("multiprocessors", device.multiprocessors);
}

static void read_members(const JsonReader& json, Options& options) {
    json.optional("workers", options.workers);
    json.optional("deterministic", options.deterministic);
    json.optional("counters", options.counters);
    json.optional("host_isa", options.host_isa);
}

static void read_members(const JsonReader& json, UnsupportedCall& call) {
    json.required("function", call.function);
    json.optional("calls", call.calls);
    json.optional("reason", call.reason);
}

static void read_members(const JsonReader& json, MachineAccess& access) {
    json.required("opcode", access.opcode);
    json.required("space", access.space);
    json.optional("bytes", access.bytes);
    json.required("count", access.count);
    json.optional("spill", access.spill);
    json.optional("ptx_line", access.ptx_line);
}

static void read_members(const JsonReader& json, MachineSpills& spills) {
    json.required("stores", spills.stores);
    json.required("store_bytes", spills.store_bytes);
    json.required("loads", spills.loads);
    json.required("load_bytes", spills.load_bytes);
}

static void read_members(const JsonReader& json, MachineCode& code) {
    json.required("mangled", code.mangled);
    json.required("arch", code.arch);
    json.optional("registers", code.registers);
    json.optional("stack_bytes", code.stack_bytes);
    json.optional("spills", code.spills);
    json.optional("instructions", code.instructions);
    json.optional("accesses", code.accesses);
}

static void read_members(const JsonReader& json, Profile& profile) {
    json.optional("producer", profile.producer);
    json.optional("processes", profile.processes);
    json.optional("devices", profile.devices);
    json.optional("options", profile.options);
    if (const auto launches = json.member("launches", true)) {
        launches->elements([](const JsonReader&) {});  // LaunchCollector has read them
    }
    json.optional("merged", profile.merged);
    json.optional("diagnostics", profile.diagnostics);
    json.optional("unsupported_calls", profile.unsupported_calls);
    json.optional("machine_code", profile.machine_code);
}

namespace {

/// Indices that a later stage follows.
void check_references(const JsonReader& json, const Profile& profile) {
    for (std::size_t i = 0; i < profile.launches.size(); ++i) {
        const Launch& launch = profile.launches[i];
        const std::string place = "launches/" + std::to_string(i);
        // A list that is absent names none: index 0 then stands for the only, unknown one.
        if (launch.process >= std::max<std::size_t>(profile.processes.size(), 1)) {
            json.error(place + "/process: there is no such process");
        }
        if (launch.device >= std::max<std::size_t>(profile.devices.size(), 1)) {
            json.error(place + "/device: there is no such device");
        }
    }
}

/// Turns each launch into its record as soon as its text is read: as JSON values, ten thousand take
/// many times the memory.
class LaunchCollector {
public:
    LaunchCollector(std::string file, Diagnostics& errors)
        : file_(std::move(file)), errors_(errors) {}

    /// Whether launches came before the places that they name, as they may in a file from
    /// elsewhere. A second reading then finds these.
    [[nodiscard]] bool must_read_again() const { return places_came_last_; }
    void begin_again() {
        errors_.clear();
        launches_ = LaunchLog(SIZE_MAX, SIZE_MAX);
        read_ = 0;
    }

    /// What nlohmann's parser asks of every value that it has read: whether to keep it.
    bool operator()(int depth, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
        using Event = nlohmann::json::parse_event_t;
        constexpr int kMembers = 1, kElements = 2;  // of the document; of a list that is a member
        if (depth == kMembers && event == Event::key) member_ = value;
        const bool is_whole =
            event == Event::object_end || event == Event::array_end || event == Event::value;
        if (!is_whole) return true;
        if (depth == kMembers && member_ == "places") return read_places(value);
        if (depth == kElements && member_ == "launches") return read_launch(value);
        return true;
    }

    [[nodiscard]] std::vector<Launch> take() { return launches_.take(); }

private:
    bool read_places(const nlohmann::json& value) {
        places_came_last_ = read_ != 0 && places_.empty();
        places_.clear();
        JsonReader(value, file_, errors_, "places").read(places_);
        return false;
    }

    bool read_launch(const nlohmann::json& value) {
        const JsonReader json(value, file_, errors_, "launches/" + std::to_string(read_++));
        if (!value.is_object()) {
            json.error("should be an object");
            return false;
        }
        Launch launch;
        json.read(launch);
        read_places_of(json, "sites",
                       [&](auto i) -> Frames& { return launch.sites.own()[i].frames; });
        read_places_of(json, "mismatches",
                       [&](auto i) -> Frames& { return launch.mismatches[i].frames; });
        launches_.add(std::move(launch));
        return false;
    }

    /// Of a launch's list, whose elements have been read.
    template <class FramesOf>
    void read_places_of(const JsonReader& launch, std::string_view list, FramesOf frames_of) {
        const auto elements = launch.member(list, false);
        if (!elements || !elements->value().is_array()) return;
        std::size_t index = 0;
        elements->elements(
            [&](const JsonReader& element) { read_place(element, frames_of(index++)); });
    }

    void read_place(const JsonReader& json, Frames& frames) {
        if (!json.value().is_object()) return;
        const auto member = json.member("place", false);
        if (!member) return;
        std::size_t place = 0;
        member->read(place);
        if (place >= places_.size()) {
            member->error("there is no such place");
            return;
        }
        frames = places_[place];
    }

    std::string file_;
    Diagnostics& errors_;
    std::string member_;  ///< of the document, that is being read
    std::vector<Frames> places_;
    bool places_came_last_ = false;
    std::size_t read_ = 0;
    LaunchLog launches_{SIZE_MAX, SIZE_MAX};  // for what equal ones share; it merges none
};

}  // namespace

Result<Profile> parse(std::string_view text, const std::string& file_name) {
    Diagnostics errors_of_launches;
    LaunchCollector launches(file_name, errors_of_launches);
    const auto read = [&] {
        return parse_document(text, file_name,
                              [&](int depth, auto event, const nlohmann::json& value) {
                                  return launches(depth, event, value);
                              });
    };
    Result<nlohmann::json> document = read();
    if (document && launches.must_read_again()) {
        launches.begin_again();
        document = read();
    }
    if (!document) {
        Diagnostics errors = document.errors();
        errors.front().hint = "a profile is what `wideload run --json FILE` writes";
        return errors;
    }
    Diagnostics errors;
    const JsonReader json(*document, file_name, errors);
    Profile profile;
    profile.schema = json.schema(kSchema);
    if (errors.empty()) {
        read_members(json, profile);
        profile.launches = launches.take();
        check_references(json, profile);
        errors.insert(errors.end(), errors_of_launches.begin(), errors_of_launches.end());
    }
    if (!errors.empty()) {
        return errors;
    }
    return profile;
}

Result<Profile> load(const std::string& path) {
    const Result<std::string> text = read_text(path);
    if (!text) return text.errors();
    return parse(*text, path);
}

}  // namespace wideload::profile
