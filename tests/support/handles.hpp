// Handles of the C interface that free what they hold.
#pragma once

#include <memory>

#include "ardvark/ardvark.h"

namespace ardvark::testing {

struct Free {
  void operator()(ardvark_options* p) const { ardvark_options_free(p); }
  void operator()(ardvark_model* p) const { ardvark_model_free(p); }
  void operator()(ardvark_table* p) const { ardvark_table_free(p); }
  void operator()(ardvark_encoding* p) const { ardvark_encoding_free(p); }
  void operator()(ardvark_result* p) const { ardvark_result_free(p); }
  void operator()(ardvark_sequential* p) const { ardvark_sequential_free(p); }
  void operator()(ardvark_targets* p) const { ardvark_targets_free(p); }
  void operator()(ardvark_statistics* p) const { ardvark_statistics_free(p); }
  void operator()(ardvark_target_statistics* p) const { ardvark_target_statistics_free(p); }
  void operator()(void* p) const { ardvark_free(p); }
};
template <typename Handle>
using Owned = std::unique_ptr<Handle, Free>;

}  // namespace ardvark::testing
