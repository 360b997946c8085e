// Something to call later, or never: for options that are kept.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace penstock {

template <typename Signature>
class Callback;

// As std::function, whose header has 13,000 lines. Copies share what is called.
//
// Threads: as what is called; copies count as one.
template <typename Result, typename... Arguments>
class Callback<Result(Arguments...)> {
 public:
  Callback() = default;
  Callback(std::nullptr_t) {}
  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Callback> &&
           std::is_invocable_r_v<Result, std::decay_t<F>&, Arguments...>)
      Callback(F&& function)
      : function_(std::make_shared<std::decay_t<F>>(std::forward<F>(function))),
        call_([](void* at, Arguments... arguments) -> Result {
          return (*static_cast<std::decay_t<F>*>(at))(
              std::forward<Arguments>(arguments)...);
        }) {}

  explicit operator bool() const { return function_ != nullptr; }
  bool operator==(std::nullptr_t) const { return function_ == nullptr; }

  Result operator()(Arguments... arguments) const {
    return call_(function_.get(), std::forward<Arguments>(arguments)...);
  }

 private:
  std::shared_ptr<void> function_;
  Result (*call_)(void*, Arguments...) = nullptr;
};

}  // namespace penstock
