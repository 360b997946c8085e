// A view of something that can be called: for parameters that are called
// before the call returns.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace penstock {

template <typename Signature>
class FunctionRef;

// Must not outlive what it was made from. Cost: two pointers; one indirect
// call.
template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> &&
           std::is_invocable_r_v<Result, F&, Arguments...>)
      FunctionRef(F&& function)
      : function_(const_cast<void*>(
            static_cast<const void*>(std::addressof(function)))),
        call_([](void* at, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(at))(
              std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const {
    return call_(function_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* function_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace penstock
