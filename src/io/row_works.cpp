#include "io/row_works.hpp"

#include <fmt/format.h>

#include <charconv>

#include "method/l1/l1_question.hpp"
#include "method/softmax/softmax_rows.hpp"
#include "passes/row_sums.hpp"
#include "process/kernel_rows.hpp"

namespace ardvark::internal::io {

std::string digits(std::uint64_t bits) { return fmt::format("{:016x}", bits); }

std::uint64_t bits_of(const std::string& text) {
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  if (error != std::errc() || end != text.data() + text.size())
    throw InvalidArgument("the bytes given are damaged: a number cannot be read");
  return bits;
}

std::string part_name(std::size_t i) { return fmt::format("part.{}.", i); }

Index count_in(const Json& description, const char* name) {
  const Index count = description.at(name).whole_number();
  require_consistent(count >= 0 && count < 100'000);
  return count;
}

namespace {

// Each kind of work, by the name under which it is written.
struct KindOfWork {
  const char* name;
  std::shared_ptr<const RowWork> (*read)(const WorkReader& from);
};
template <typename Work>
constexpr KindOfWork kind = {Work::own_name, &Work::read};
constexpr KindOfWork kinds[] = {kind<KernelQuestion>, kind<KernelQuestions>, kind<L1Question>, kind<SoftmaxQuestion>};

// Small things go to an object of the description, under the name of the work; vectors and matrices to the file.
class Writer final : public WorkWriter {
 public:
  Writer(const RowWork& work, const std::string& prefix, SafetensorsWriter& file, Json& to)
      : file_(file), prefix_(prefix), name_(work.name()), to_(to) {}
  void flag(const char* name, bool value) override { to_[name] = value; }
  void whole_number(const char* name, Index value) override { to_[name] = value; }
  void whole_numbers(const char* name, const std::vector<Index>& values) override { to_[name] = values; }
  void text(const char* name, const std::string& value) override { to_[name] = value; }
  void bits(const char* name, std::uint64_t value) override { to_[name] = digits(value); }
  void numbers(const char* name, const std::vector<double>& values) override {
    file_.add_vector(in_file(name), Vector(VectorView(values).eigen()));
  }
  void vector(const char* name, const Vector& v) override { file_.add_vector(in_file(name), v); }
  void matrix(const char* name, const Matrix& M) override { file_.add_matrix(in_file(name), M); }
  void part(std::size_t number, const RowWork& work) override {
    const std::string of_part = part_name(number);
    Writer writer(work, prefix_ + of_part, file_, to_[of_part] = Json::object());
    work.write(writer);
  }

 private:
  [[nodiscard]] std::string in_file(const char* name) const { return fmt::format("{}{}.{}", prefix_, name_, name); }

  SafetensorsWriter& file_;
  std::string prefix_;
  const char* name_;
  Json& to_;
};

class Reader final : public WorkReader {
 public:
  Reader(const char* work, const SafetensorsReader& file, const std::string& prefix, const Json& described,
         const RowQuestion::State& question)
      : file_(file), prefix_(prefix), name_(work), described_(described), question_(question) {}
  [[nodiscard]] bool flag(const char* name) const override { return described_.at(name).flag(); }
  [[nodiscard]] Index whole_number(const char* name) const override { return described_.at(name).whole_number(); }
  [[nodiscard]] std::vector<Index> whole_numbers(const char* name) const override { return described_.at(name).whole_numbers(); }
  [[nodiscard]] std::string text(const char* name) const override { return described_.at(name).text(); }
  [[nodiscard]] std::uint64_t bits(const char* name) const override { return bits_of(described_.at(name).text()); }
  [[nodiscard]] Vector vector(const char* name) const override { return file_.vector(in_file(name)); }
  [[nodiscard]] Matrix matrix(const char* name) const override { return file_.matrix(in_file(name)); }
  [[nodiscard]] Index count(const char* name) const override { return count_in(described_, name); }
  [[nodiscard]] std::unique_ptr<WorkReader> part(std::size_t number, const char* of) const override {
    const std::string of_part = part_name(number);
    return std::make_unique<Reader>(of, file_, prefix_ + of_part, described_.at(of_part), question_);
  }
  [[nodiscard]] const RowQuestion::State& question() const override { return question_; }

 private:
  [[nodiscard]] std::string in_file(const char* name) const { return fmt::format("{}{}.{}", prefix_, name_, name); }

  const SafetensorsReader& file_;
  std::string prefix_;
  const char* name_;
  const Json& described_;
  const RowQuestion::State& question_;
};

}  // namespace

void add_work(const RowWork& work, const std::string& prefix, SafetensorsWriter& file, Json& description) {
  Writer writer(work, prefix, file, description[work.name()] = Json::object());
  work.write(writer);
}

std::shared_ptr<const RowWork> read_work(const SafetensorsReader& file, const Json& description, const std::string& prefix,
                                         const RowQuestion::State& question) {
  std::shared_ptr<const RowWork> out;
  for (const KindOfWork& one : kinds) {
    if (!description.contains(one.name)) continue;
    require_consistent(out == nullptr);
    out = one.read(Reader(one.name, file, prefix, description.at(one.name), question));
  }
  return out;
}

}  // namespace ardvark::internal::io
