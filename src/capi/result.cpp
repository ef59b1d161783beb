// Results by name.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "capi/handles.hpp"
#include "core/refusals.hpp"
#include "io/csv_form.hpp"
#include "model/refused_options.hpp"
#include "model/spelling.hpp"
#include "preset/preset.hpp"

namespace ardvark::internal::capi {
namespace {

// The value at a path below a JSON value; nullptr if there is none.
const Json* descend(const Json* at, const std::string* key, const std::string* end) {
  for (; key != end && at != nullptr; ++key) {
    if (!at->is_array()) {
      at = at->find(*key);
      continue;
    }
    std::size_t i = 0;
    const auto [last, error] = std::from_chars(key->data(), key->data() + key->size(), i);
    at = error == std::errc() && last == key->data() + key->size() && i < at->list().size() ? &at->list()[i] : nullptr;
  }
  return at;
}

std::vector<std::string> keys_of(std::string_view path) {
  std::vector<std::string> keys;
  for (;;) {
    const std::size_t dot = path.find('.');
    keys.emplace_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return keys;
    path.remove_prefix(dot + 1);
  }
}

struct Numbers {
  std::int64_t dimensions = 0, shape[2] = {1, 1};
  double* data = nullptr;  // the caller frees it
};

Numbers make_numbers(std::int64_t dimensions, Index rows, Index columns) {
  Numbers n{dimensions, {rows, columns}, nullptr};
  n.data = static_cast<double*>(allocate(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(double)));
  return n;
}

/// Looks for one field, "noise.shape" or "machines.2.mean", and copies its numbers.
class Lookup final : public Fields {
 public:
  explicit Lookup(std::string_view path) : path_(keys_of(path)) {}
  ~Lookup() override { ardvark_free(found.data); }
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  [[nodiscard]] bool wants(const char* name) const override { return missed_ == 0 && depth_ < path_.size() && path_[depth_] == name; }
  void put(const char* name, Json value) override {
    if (!wants(name)) return;
    const Json* const it = descend(&value, path_.data() + depth_ + 1, path_.data() + path_.size());
    if (it == nullptr) return;
    is_known = true;
    const ardvark_kind kind = kind_of(*it);
    if (kind == ARDVARK_NUMBERS && it->is_array())
      store(1, static_cast<Index>(it->list().size()), 1,
            [&](Index i, Index) { return number_of(it->list()[static_cast<std::size_t>(i)]); });
    else if (kind == ARDVARK_NUMBERS || kind == ARDVARK_FLAG || kind == ARDVARK_NOTHING)
      store(0, 1, 1, [&](Index, Index) { return number_of(*it); });
  }
  void put(const char* name, VectorView v) override {
    if (is_it(name)) store(1, v.size(), 1, [&](Index i, Index) { return v[i]; });
  }
  void put(const char* name, const std::vector<Index>& positions) override { put_table_rows(name, positions); }
  void put_rows(const char* name, const Matrix& m) override {
    if (is_it(name)) store(2, m.rows(), m.cols(), [&](Index i, Index j) { return m(i, j); });
  }
  void put_table_rows(const char* name, const std::vector<Index>& rows) override {
    if (is_it(name))
      store(1, static_cast<Index>(rows.size()), 1, [&](Index i, Index) { return static_cast<double>(rows[static_cast<std::size_t>(i)]); });
  }
  void put_columns(const char* name, const std::vector<bool>& columns, const std::vector<std::string>&) override {
    if (is_it(name))
      store(1, static_cast<Index>(columns.size()), 1, [&](Index i, Index) { return columns[static_cast<std::size_t>(i)] ? 1.0 : 0.0; });
  }
  void open(const char* name) override {
    if (!wants(name))
      ++missed_;
    else
      ++depth_;
    is_known = is_known || (missed_ == 0 && depth_ == path_.size());
  }
  void open(const char* name, Index element) override {
    if (!wants(name) || depth_ + 1 >= path_.size() || path_[depth_ + 1] != std::to_string(element))
      ++missed_;
    else
      depth_ += 2, lists_.push_back(depth_);
  }
  void close() override {
    if (missed_ > 0) {
      --missed_;
      return;
    }
    const bool is_list = !lists_.empty() && lists_.back() == depth_;
    if (is_list) lists_.pop_back();
    depth_ -= is_list ? 2 : 1;
  }

  Numbers found;
  bool is_known = false;  ///< the field exists, with numbers or not

 private:
  [[nodiscard]] bool is_it(const char* name) const { return depth_ + 1 == path_.size() && wants(name); }
  void store(std::int64_t dimensions, Index rows, Index columns, auto&& at) {
    is_known = true;
    ardvark_free(found.data);
    found = make_numbers(dimensions, rows, columns);
    double* to = found.data;
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j) *to++ = at(i, j);
  }

  std::vector<std::string> path_;
  std::vector<std::size_t> lists_;
  std::size_t depth_ = 0, missed_ = 0;
};

[[noreturn]] void fail(const ardvark_result& result, const char* name, bool is_known) {
  if (is_known) throw InvalidArgument(fmt::format("the result '{}' does not consist of numbers; ask for it as a text", name));
  Outline all;
  result.visit(all);
  std::string known;
  for (const Entry& entry : all.root().below) known += (known.empty() ? "" : ", ") + entry.path;
  throw InvalidArgument(fmt::format("there is no result '{}'; the results are {}", name, known));
}

// \param name  nullptr: all fields
Json field(const ardvark_result& result, const char* name) {
  if (name == nullptr) {
    JsonFields all(false);
    result.visit(all);
    return all.json();
  }
  const std::vector<std::string> keys = keys_of(name);
  JsonFields all(keys.front());
  result.visit(all);
  const Json* const it = descend(&all.json(), keys.data(), keys.data() + keys.size());
  if (it == nullptr) fail(result, name, false);
  return *it;
}

// The list or record at a path. \param path  nullptr: the root
const Entry& entry_at(const ardvark_result& result, const char* path) {
  std::call_once(result.outlined, [&] {
    Outline outline;
    result.visit(outline);
    result.outline = std::move(outline.root());
  });
  const Entry* at = &result.outline;
  if (path == nullptr) return *at;
  for (const std::string& key : keys_of(path)) {
    const std::string below = at->path.empty() ? key : at->path + '.' + key;
    const auto next = std::find_if(at->below.begin(), at->below.end(), [&](const Entry& entry) { return entry.path == below; });
    if (next == at->below.end()) fail(result, path, false);
    at = &*next;
  }
  return *at;
}

}  // namespace
}  // namespace ardvark::internal::capi

using namespace ardvark;
using namespace ardvark::internal;
using namespace ardvark::internal::capi;

extern "C" {

void ardvark_result_free(ardvark_result* result) { delete result; }

ardvark_code ardvark_result_array(const ardvark_result* result, const char* name, ardvark_array* array, ardvark_error* error) {
  return guarded(error, [&] {
    ardvark_array& out = array_of(array, "array");
    Lookup lookup(&required(name, "name"));
    required(result, "result").visit(lookup);
    if (lookup.found.data == nullptr) fail(*result, name, lookup.is_known);
    out.data = std::exchange(lookup.found.data, nullptr);
    out.dimensions = lookup.found.dimensions;
    std::copy_n(lookup.found.shape, 2, out.shape);
  });
}

ardvark_code ardvark_result_number(const ardvark_result* result, const char* name, double* number, ardvark_error* error) {
  return guarded(error, [&] {
    required(number, "number");
    Lookup lookup(&required(name, "name"));
    required(result, "result").visit(lookup);
    if (lookup.found.data == nullptr) fail(*result, name, lookup.is_known);
    if (lookup.found.dimensions != 0) throw InvalidArgument(fmt::format("the result '{}' is an array, not a single number", name));
    *number = lookup.found.data[0];
  });
}

ardvark_code ardvark_result_text(const ardvark_result* result, const char* name, char** text, ardvark_error* error) {
  return guarded(error, [&] {
    required(text, "text");
    const Json value = field(required(result, "result"), name);
    *text = copy(value.is_string() ? value.text() : value.dump());
  });
}

ardvark_code ardvark_result_json(const ardvark_result* result, const char* name, char** text, ardvark_error* error) {
  return guarded(error, [&] {
    required(text, "text");
    *text = copy(field(required(result, "result"), name).dump());
  });
}

ardvark_code ardvark_result_count(const ardvark_result* result, const char* path, int64_t* count, ardvark_error* error) {
  return guarded(error,
                 [&] { required(count, "count") = static_cast<std::int64_t>(entry_at(required(result, "result"), path).below.size()); });
}

ardvark_code ardvark_result_entry(const ardvark_result* result, const char* path, int64_t index, ardvark_entry* entry,
                                  ardvark_error* error) {
  return guarded(error, [&] {
    ardvark_entry& out = sized(entry, "entry", "ardvark_entry");
    const std::vector<Entry>& entries = entry_at(required(result, "result"), path).below;
    if (index < 0 || std::cmp_greater_equal(index, entries.size()))
      throw wrong("index", index, fmt::format("there are {} entries, counted from 0", entries.size()));
    const Entry& found = entries[static_cast<std::size_t>(index)];
    out.name = found.name.c_str();
    out.path = found.path.c_str();
    out.kind = found.kind;
    out.count = static_cast<std::int64_t>(found.below.size());
    out.text = found.kind == ARDVARK_TEXT ? found.text.c_str() : nullptr;
  });
}

ardvark_code ardvark_spell(const char* text, const char* language, const char* const* renamed, int64_t count, char** written,
                           ardvark_error* error) {
  return guarded(error, [&] {
    const std::string_view name = &required(language, "language");
    if (name != "python" && name != "octave") throw wrong("language", name, "it must be one of python, octave");
    std::map<std::string, std::string> names;
    for (std::int64_t i = 0; i < count; ++i) {
      const char* const* const pair = &required(renamed, "renamed") + 2 * i;
      names[&required(pair[0], "renamed")] = &required(pair[1], "renamed");
    }
    store(written, "written",
          [&] { return copy(spelled_in(name == "python" ? Language::python : Language::octave, &required(text, "text"), names)); });
  });
}

ardvark_code ardvark_catalogue(ardvark_result** result, ardvark_error* error) {
  return guarded(error, [&] {
    required(result, "result");
    *result = new ardvark_result{[](Fields& out) {
      out.put("version", Json(ardvark_version()));
      Json options = Json::array(), programs = Json::array(), defaults = Json::object(), help = Json::object(), facts = Json::object();
      for (const ModelOption& option : model_options()) {
        options.push_back(option.name);
        help[option.name] = {{"values", option.values}, {"help", ModelOptions().help(option)}};
        Json words = Json::object();
        for (const OptionWord& word : option.facts.words) words[word.word] = names_of_cases(word.not_in);
        facts[option.name] = {{"kind", option.kind()}, {"not_in", names_of_cases(option.refused())}, {"words", std::move(words)}};
      }
      for (const PresetInfo& preset : presets()) {
        const PresetFacts& of_preset = preset_facts(preset.name);
        programs.push_back({{"name", preset.name},
                            {"task", to_string(preset.task)},
                            {"description", preset.description},
                            {"slr_toolbox", of_preset.slr_toolbox},
                            {"kernel", of_preset.kernel},
                            {"several_classes", of_preset.coding.has_value()}});
        const FitOptions published = options_for_preset(preset.name, true);
        defaults[preset.name] = {{"max_sweeps", published.max_sweeps}, {"prune_at", published.pruning.threshold}};
      }
      out.put("options", std::move(options));
      out.put("option_help", std::move(help));
      out.put("option_facts", std::move(facts));
      out.put("presets", std::move(programs));
      out.put("defaults", std::move(defaults));
    }};
  });
}

ardvark_code ardvark_csv_form(const char* path, const char* delimiter, const char* decimal, const char* const* missing_markers,
                              int64_t count, ardvark_result** result, ardvark_error* error) {
  return ardvark_csv_form_in(path, delimiter, decimal, missing_markers, count, nullptr, result, error);
}

ardvark_code ardvark_csv_form_in(const char* path, const char* delimiter, const char* decimal, const char* const* missing_markers,
                                 int64_t count, const char* language, ardvark_result** result, ardvark_error* error) {
  return guarded(error, [&] {
    required(result, "result");
    CsvOptions options;
    if (language != nullptr && std::string_view(language) != "python") throw wrong("language", language, "it must be python, or NULL");
    if (language != nullptr) options.advice = Advice::python;
    options.missing = Missing::keep;
    const auto character_of = [](const char* text, const char* name) -> std::optional<char> {
      if (text == nullptr) return std::nullopt;
      if (std::string_view(text).size() != 1) throw wrong(name, text, "it must be one character");
      return text[0];
    };
    options.delimiter = character_of(delimiter, "delimiter");
    options.decimal = character_of(decimal, "decimal");
    if (count > 0) required(missing_markers, "missing_markers");
    for (int64_t i = 0; i < count; ++i) options.missing_markers.emplace_back(&required(missing_markers[i], "an entry of missing_markers"));
    const auto form = std::make_shared<const io::CsvForm>(io::form_of_csv(&required(path, "path"), options));
    *result = new ardvark_result{[form](Fields& out) {
      out.put("delimiter", Json(std::string(1, form->delimiter)));
      out.put("decimal", Json(std::string(1, form->decimal)));
      out.put("lines_before", Json(form->lines_before));
      out.put("names", Json(form->names));
      Json blank = Json::array();
      for (const std::size_t field : form->blank) blank.push_back(Json(static_cast<Index>(field)));
      out.put("blank", std::move(blank));
      out.put("row_names", Json(form->has_row_names));
      out.put("plain_header", Json(form->has_plain_header));
      std::vector<std::string> refused, reasons;
      for (const auto& [name, why] : form->refused) refused.push_back(name), reasons.push_back(why);
      out.put("refused", Json(refused));
      out.put("reasons", Json(reasons));
      out.put("notes", Json(form->notes));
    }};
  });
}

}  // extern "C"
