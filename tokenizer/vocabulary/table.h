// Values in a row, made here or found in memory that somebody else keeps.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "formats/memory/huge_pages.h"

namespace penstock {

// Reading costs what a vector costs. The first change of values that are
// elsewhere copies them.
//
// Threads: any number at a time, once filled.
template <typename T>
class Table {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Table() = default;
  explicit Table(size_t size, const T& value = {}) : own_(size, value) {
    UseOwn();
  }
  explicit Table(HugePageVector<T> own) : own_(std::move(own)) { UseOwn(); }
  // `values` must outlive the table, what it is moved to and their copies.
  static Table Of(std::span<const T> values) {
    Table table;
    table.data_ = values.data();
    table.size_ = values.size();
    return table;
  }

  Table(const Table& other) : own_(other.own_) {
    UseOwn();
    if (!other.is_own()) *this = Of(other.values());
  }
  Table(Table&& other) noexcept
      : own_(std::move(other.own_)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {
    other.own_.clear();
  }
  Table& operator=(Table other) noexcept {
    own_.swap(other.own_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  const T& operator[](size_t i) const { return data_[i]; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::span<const T> values() const { return {data_, size_}; }

  T& At(size_t i) {
    Own();
    return own_[i];
  }
  void Resize(size_t size) {
    Own();
    own_.resize(size);
    UseOwn();
  }
  void Reserve(size_t size) {
    Own();
    own_.reserve(size);
    UseOwn();
  }
  void Append(const T& value) {
    Own();
    own_.push_back(value);
    UseOwn();
  }
  void Append(std::span<const T> values) {
    Own();
    own_.insert(own_.end(), values.begin(), values.end());
    UseOwn();
  }

 private:
  bool is_own() const { return data_ == own_.data(); }
  void Own() {
    if (is_own()) return;
    own_.assign(begin(), end());
    UseOwn();
  }
  void UseOwn() {
    data_ = own_.data();
    size_ = own_.size();
  }

  HugePageVector<T> own_;  // empty where the values are elsewhere
  const T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace penstock
