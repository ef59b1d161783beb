#include "io/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ardvark/errors.hpp"
#include "io/file.hpp"

namespace ardvark::internal::io {

// An empty file has no bytes to map.
MappedFile::MappedFile(const std::string& path) {
  size_ = File::open(path).size();
  if (size_ == 0) return;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void* const memory = descriptor < 0 ? MAP_FAILED : ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (memory == MAP_FAILED) throw EnvironmentError(fmt::format("cannot read '{}': {}", path, std::generic_category().message(error)));
  data_ = static_cast<const std::uint8_t*>(memory);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

void MappedFile::forget_before(std::size_t at) const {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), end = at / page * page;
  if (end > 0) static_cast<void>(::madvise(const_cast<std::uint8_t*>(data_), end, MADV_DONTNEED));  // only advice
}

}  // namespace ardvark::internal::io
