// Compiled with -mavx2 where the compiler and the processor family have it.
#include "price.hpp"

#define magnitude __builtin_fabsf

namespace trueval {
namespace avx2 {
#include "price_loop.inc"
}  // namespace avx2

PriceFunction price_function_avx2(int lanes, bool unit) {
    return unit ? avx2::choose<true>(lanes) : avx2::choose<false>(lanes);
}

}  // namespace trueval
