// A list whose copies share its memory.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace penstock {

// Never changed, only replaced, so that handing one on costs a pointer.
//
// Threads: any number at a time; each copy by itself, as an int.
template <typename T>
class SharedList {
 public:
  SharedList() = default;
  SharedList(std::vector<T> list) {
    if (list.empty()) return;
    list_ = std::make_shared<const std::vector<T>>(std::move(list));
  }
  SharedList(std::initializer_list<T> list) : SharedList(std::vector(list)) {}

  const std::vector<T>& vector() const {
    static const std::vector<T> none;
    return list_ ? *list_ : none;
  }
  operator const std::vector<T>&() const { return vector(); }

  size_t size() const { return vector().size(); }
  bool empty() const { return list_ == nullptr; }
  const T* begin() const { return vector().data(); }
  const T* end() const { return begin() + size(); }
  const T& operator[](size_t i) const { return vector()[i]; }
  void clear() { list_ = nullptr; }

  friend bool operator==(const SharedList& a, const SharedList& b) {
    return a.list_ == b.list_ || a.vector() == b.vector();
  }

 private:
  std::shared_ptr<const std::vector<T>> list_;  // null: empty
};

}  // namespace penstock
