// Division of integers of 128 bits for the libraries inside a wheel. Otherwise it would come from the runtime library of Zig, which is one
// object: exp, log, memcpy and others would come with it, slower than those of the system and with other last bits.
namespace {

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 WideSigned;

constexpr Wide quotient(Wide a, Wide b) {
  Wide q = 0, rest = 0;
  for (int i = 127; i >= 0; --i) {
    const bool carries = rest >> 127 != 0;
    rest = rest << 1 | (a >> i & 1);
    if (carries || rest >= b) rest -= b, q |= Wide{1} << i;
  }
  return q;
}

constexpr WideSigned quotient_of_signed(WideSigned a, WideSigned b) {
  const auto size = [](WideSigned x) { return x < 0 ? -static_cast<Wide>(x) : static_cast<Wide>(x); };
  const Wide q = quotient(size(a), size(b));
  return static_cast<WideSigned>((a < 0) != (b < 0) ? -q : q);
}

constexpr Wide large = ~Wide{0} - 12345, middle = (Wide{0x123456789abcdef} << 61) + 7;
static_assert(quotient(large, middle) == large / middle && quotient(middle, large) == 0 && quotient(large, large - 1) == 1);
static_assert(quotient(large, 10) == large / 10 && quotient(large, Wide{1} << 127) == 1 && quotient(7, 7) == 1 && quotient(0, 3) == 0);
constexpr auto negative = -static_cast<WideSigned>(middle), thousand = WideSigned{1000};
static_assert(quotient_of_signed(negative, thousand) == negative / 1000 && quotient_of_signed(negative, -thousand) == negative / -1000);
static_assert(quotient_of_signed(-negative, -thousand) == -negative / -1000 && quotient_of_signed(-negative, thousand) == -negative / 1000);

}  // namespace

extern "C" {
[[gnu::visibility("hidden")]] Wide __udivti3(Wide a, Wide b) { return quotient(a, b); }
[[gnu::visibility("hidden")]] WideSigned __divti3(WideSigned a, WideSigned b) { return quotient_of_signed(a, b); }
}
