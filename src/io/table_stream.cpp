// A table in several CSV files, read in pieces.
#include "ardvark/table_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "ardvark/errors.hpp"
#include "core/pulse.hpp"
#include "io/csv_rows.hpp"
#include "io/levels.hpp"
#include "io/row_buffer.hpp"
#include "io/text.hpp"

namespace ardvark {

using namespace internal;

namespace {

constexpr std::size_t most_row_names = 100'000;

void check_paths(const std::vector<std::string>& paths) {
  if (paths.empty()) throw InvalidArgument("there is no file to read: give one path or more");
  std::set<std::filesystem::path> seen;
  for (const std::string& path : paths) {
    std::error_code none;
    if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none)) continue;  // a pipe
    if (const auto real = std::filesystem::weakly_canonical(path, none); !none && !seen.insert(real).second)
      throw InvalidArgument(fmt::format("'{}' is given twice; its rows would count twice", path));
  }
}

}  // namespace

struct TableStream::State {
  std::vector<std::string> paths;
  CsvOptions options;
  std::unique_ptr<io::TableRows> rows;
  std::size_t num_opened = 0;
  std::vector<std::optional<io::FileStamp>> stamps;  // of the files that were opened; none: a pipe
  Index num_rows = 0, rows_before = 0;               // rows_before: in the files before the one that is open
  std::vector<Index> num_missing;
  bool can_rewind = true;
  Index bytes_before = 0, bytes_in_all = 0;  // of the files before the one that is open, and of all passes; 0: not known
  const char* stage = "reading";
  Index last_rows = 0;  // of the piece before

  void begin() {
    rows.reset();
    num_opened = 0, num_rows = 0, rows_before = 0;
  }
  void open_next();
  void check_unchanged() const;
  void tell() const {
    pulse(stage, {.done = bytes_before + static_cast<Index>(rows->num_bytes_read()), .total = bytes_in_all, .rows = num_rows});
  }
};

void TableStream::State::open_next() {
  const std::string& path = paths[num_opened];
  if (rows == nullptr) rows = io::rows_of_file(path, options, paths.size() > 1, most_row_names);
  rows->open(path);
  const std::optional<io::FileStamp> stamp = rows->file().stamp_if_regular();
  if (num_opened == stamps.size())
    stamps.push_back(stamp);
  else if (stamps[num_opened] != stamp)
    throw InvalidArgument(fmt::format("'{}' changed between the two times that it was read; run the command again", path));
  can_rewind = can_rewind && stamp.has_value();
  ++num_opened;
}

void TableStream::State::check_unchanged() const {
  if (rows->file().stamp_if_regular() != stamps[num_opened - 1])
    throw InvalidArgument(
        fmt::format("'{}' changed while it was read; run the command again when the file is complete", paths[num_opened - 1]));
}

TableStream::TableStream(std::vector<std::string> paths, const CsvOptions& options) : state_(std::make_unique<State>()) {
  check_paths(paths);
  state_->paths = std::move(paths);
  state_->options = options;
  state_->begin();
  expect("reading", 1);
}
TableStream::~TableStream() = default;

void TableStream::expect(const char* stage, int passes) {
  state_->stage = stage;
  Index sum = 0;
  for (const std::string& path : state_->paths) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(path, unknown);
    if (unknown) return;
    sum += static_cast<Index>(size);
  }
  state_->bytes_in_all = sum * passes;
}

bool TableStream::next(Table& piece, Index most_rows) {
  State& s = *state_;
  if (s.num_opened == 0) {
    const OneStage one;
    s.open_next();
  }
  s.tell();
  const OneStage one;  // the progress is that of all files
  piece = Table();
  const Index width = s.rows->num_columns();
  io::RowBuffer rows(width, std::min(most_rows, s.last_rows));
  std::size_t file_before = 0;
  while (rows.num_rows() < most_rows) {
    if (!s.rows->next(rows.next_row())) {
      s.check_unchanged();
      if (s.num_opened == s.paths.size()) break;
      s.bytes_before += static_cast<Index>(s.rows->num_bytes_read());
      s.rows_before += s.rows->row() - 1;  // it stands after the last one
      s.open_next();
      continue;
    }
    if (s.paths.size() > 1 && std::exchange(file_before, s.num_opened) != s.num_opened)
      piece.files.push_back({rows.num_rows(), s.paths[s.num_opened - 1], s.rows_before});
    piece.file_rows.push_back(s.rows->row());
    piece.has_lines = s.rows->line() > 0;
    if (piece.has_lines) piece.file_lines.push_back(s.rows->line());
    rows.keep_row();
  }
  piece.num_rows = s.last_rows = rows.num_rows();
  piece.values = rows.take();
  s.num_rows += piece.num_rows;
  s.rows->finish(piece, false);
  s.num_missing = piece.num_missing;
  const bool is_in_pieces = most_rows < std::numeric_limits<Index>::max();
  for (Index j = 0; j < width && s.options.only.empty() && is_in_pieces; ++j)  // a model has its own levels
    io::refuse_many_levels(piece.columns[static_cast<std::size_t>(j)].name, static_cast<std::size_t>(s.rows->num_levels(j)));
  if (piece.num_rows < most_rows) s.rows->check_end(s.num_rows);
  return piece.num_rows > 0;
}

void TableStream::rewind() {
  State& s = *state_;
  if (!s.can_rewind) throw InvalidArgument("a pipe can be read only once");
  s.bytes_before += static_cast<Index>(s.rows->num_bytes_read());
  s.begin();
}
bool TableStream::can_rewind() const { return state_->can_rewind; }

Index TableStream::num_rows() const { return state_->num_rows; }
Index TableStream::num_dropped() const { return state_->rows == nullptr ? 0 : state_->rows->num_dropped(); }
const std::vector<Index>& TableStream::num_missing() const { return state_->num_missing; }
const std::vector<std::string>& TableStream::paths() const { return state_->paths; }
char TableStream::decimal() const { return state_->rows == nullptr ? '.' : state_->rows->decimal(); }
std::vector<std::string> TableStream::notes() const { return state_->rows == nullptr ? std::vector<std::string>() : state_->rows->notes(); }

Table read_csv(const std::vector<std::string>& paths, const CsvOptions& options) {
  if (paths.size() == 1) return read_csv(paths.front(), options);
  try {
    TableStream stream(paths, options);
    Table table;
    static_cast<void>(stream.next(table, std::numeric_limits<Index>::max()));  // which throws if there is no row
    table.num_dropped = stream.num_dropped();
    table.notes = stream.notes();
    io::unify_truths(table);
    return table;
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format("not enough memory to hold the table of '{}' and {} more: ignore columns that are not needed",
                                  paths.front(), paths.size() - 1));
  }
}

namespace {

// The levels of both, and their rows. Both are sorted.
void merge_levels(const ColumnFacts& here, ColumnFacts& all) {
  const std::vector<std::string> before = std::exchange(all.column.levels, {});
  const std::vector<double> rows_before = std::exchange(all.rows, {});
  for (std::size_t a = 0, b = 0; a < before.size() || b < here.column.levels.size();) {
    const bool takes_here = a == before.size() || (b < here.column.levels.size() && here.column.levels[b] <= before[a]);
    const bool takes_before = b == here.column.levels.size() || (a < before.size() && before[a] <= here.column.levels[b]);
    all.column.levels.push_back(takes_before ? before[a] : here.column.levels[b]);
    all.rows.push_back((takes_before ? rows_before[a] : 0) + (takes_here ? here.rows[b] : 0));
    a += takes_before ? 1 : 0, b += takes_here ? 1 : 0;
  }
}

}  // namespace

void FactsOfColumns::add(const Table& piece, VectorView weights) {
  if (columns_.empty()) columns_.resize(piece.columns.size());
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const ColumnFacts here = facts_of(piece, static_cast<Index>(j), weights);
    ColumnFacts& all = columns_[j];
    all.column.name = here.column.name;
    all.column.categorical = here.column.categorical;
    all.column.is_listed = here.column.is_listed;
    merge_levels(here, all);
  }
}

void FactsOfColumns::merge(const std::vector<ColumnFacts>& part) {
  if (columns_.empty()) {
    columns_ = part;
    return;
  }
  const auto find = [](auto& columns, const std::string& name) {
    return std::ranges::find(
        columns, name, [](const ColumnFacts& c) -> const auto& { return c.column.name; });
  };
  for (const ColumnFacts& before : columns_)
    if (find(part, before.column.name) == part.end())
      throw InvalidArgument(fmt::format("it has no column '{}', which those before have", io::shown(before.column.name)));
  for (const ColumnFacts& here : part) {
    const auto all = find(columns_, here.column.name);
    if (all == columns_.end())
      throw InvalidArgument(fmt::format("it has a column '{}', which those before do not have", io::shown(here.column.name)));
    if (all->column.categorical != here.column.categorical)
      throw InvalidArgument(fmt::format(
          "column '{}' has {}, and in those before it has {}; to read numbers as texts, list it as categorical",
          io::shown(here.column.name), here.column.categorical ? "texts" : "numbers", here.column.categorical ? "numbers" : "texts"));
    merge_levels(here, *all);
  }
}

std::vector<ColumnFacts> FactsOfColumns::facts() const { return columns_; }

}  // namespace ardvark
