#include "price.hpp"

#if defined(__GNUC__)
#define magnitude __builtin_fabsf
#else
#include <cmath>
#define magnitude std::fabs
#endif

namespace trueval {
namespace generic {
#include "price_loop.inc"
}  // namespace generic

PriceFunction price_function_generic(int lanes, bool unit) {
    return unit ? generic::choose<true>(lanes) : generic::choose<false>(lanes);
}

PriceFunction price_function(int lanes, bool unit) {
#if defined(TRUEVAL_AVX2)
    if (__builtin_cpu_supports("avx2")) return price_function_avx2(lanes, unit);
#endif
    return price_function_generic(lanes, unit);
}

}  // namespace trueval
