#include "io/mapped_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "io/file.hpp"

namespace ardvark::internal::io {

MappedFile::MappedFile(const std::string& path) {
  const File file = File::open(path);
  size_ = file.size();
  memory_ = file.mapped();
}

void MappedFile::forget_before(std::size_t at) const {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), end = at / page * page;
  if (end > 0) static_cast<void>(::madvise(const_cast<char*>(memory_.get()), end, MADV_DONTNEED));  // only advice
}

}  // namespace ardvark::internal::io
