// Sums over rows that are not in memory in the C interface.
#include "ardvark/row_pass.hpp"

#include <memory>

#include "capi/arguments.hpp"

using namespace ardvark;
using namespace ardvark::internal;
using namespace ardvark::internal::capi;

namespace {

struct FreeSums {
  void operator()(ardvark_sums* sums) const { ardvark_sums_free(sums); }
};

}  // namespace

extern "C" {

ardvark_code ardvark_sums_create(const void* question, size_t size, int64_t stream, ardvark_sums** sums, ardvark_error* error) {
  return guarded(error, [&] {
    required(sums, "sums") = nullptr;
    *sums = new ardvark_sums{RowSums(RowQuestion::from_bytes(bytes_of(question, size)), static_cast<std::uint64_t>(stream))};
  });
}
void ardvark_sums_free(ardvark_sums* sums) { delete sums; }

ardvark_code ardvark_sums_update(ardvark_sums* sums, const ardvark_matrix* X, const double* labels, const double* weights,
                                 ardvark_error* error) {
  return guarded(error, [&] {
    const Data data(X, "X");
    const Index rows = data.X().rows();
    required(sums, "sums").sums.update(data.X(), vector_of(labels, rows, "labels"), weights_of(weights, rows));
  });
}
ardvark_code ardvark_sums_merge(ardvark_sums* sums, const ardvark_sums* right, ardvark_error* error) {
  return guarded(error, [&] { required(sums, "sums").sums.merge(required(right, "right").sums); });
}
ardvark_code ardvark_sums_to_bytes(const ardvark_sums* sums, void** data, size_t* size, ardvark_error* error) {
  return guarded(error, [&] { give_bytes(required(sums, "sums").sums.to_bytes(), data, size); });
}
ardvark_code ardvark_sums_from_bytes(const void* data, size_t size, ardvark_sums** sums, ardvark_error* error) {
  return guarded(error, [&] {
    required(sums, "sums") = nullptr;
    *sums = new ardvark_sums{RowSums::from_bytes(bytes_of(data, size))};
  });
}

ardvark_code ardvark_fit_rows(ardvark_ask ask, void* data, const ardvark_options* options, ardvark_model** model, ardvark_error* error) {
  return modelled(model, error, [&] {
    if (ask == nullptr) throw InvalidArgument("ask is NULL");
    const CallOptions all(options);
    const AskRows answered = [&](const RowQuestion& question) {
      const std::string bytes = question.to_bytes();
      ardvark_sums* given = nullptr;
      const int code = ask(bytes.data(), bytes.size(), &given, data);
      const std::unique_ptr<ardvark_sums, FreeSums> answer(given);
      if (code != 0) throw Stopped();
      if (answer == nullptr) throw InvalidArgument("ask gave no sums");
      return std::move(answer->sums);
    };
    return fit_model(answered, all.values);
  });
}

}  // extern "C"
