#include "tokenizer/sentencepiece/quick_chars.h"

#include <string_view>

namespace penstock {
namespace {

// Whether a rule that goes on from `node` does so by one of the bytes.
bool GoesOnBy(const Charsmap& charsmap, Charsmap::Node node, int begin,
              int end) {
  for (int byte = begin; byte < end; ++byte) {
    Charsmap::Node next = node;
    bool ends;
    if (charsmap.Step(next, static_cast<unsigned char>(byte), ends)) {
      return true;
    }
  }
  return false;
}

// As line ends and tabs do by the rules of most models.
bool BecomesSpace(const Charsmap& charsmap, unsigned char byte) {
  const char text = static_cast<char>(byte);
  return charsmap.Longest(&text, &text + 1).out == " ";
}

}  // namespace

QuickChars::QuickChars(const Charsmap& charsmap,
                       const UserDefinedSymbols& symbols) {
  FillAscii(charsmap, symbols);
  for (uint32_t lead = 0xc2; lead < 0xf0; ++lead) {
    const bool is_long = lead >= 0xe0;
    const uint32_t first = is_long ? (lead & 0xf) << 12 : (lead & 0x1f) << 6;
    const uint32_t count = is_long ? 4096 : 64;
    Charsmap::Node node = charsmap.empty() ? 0 : charsmap.Root();
    bool ends = false;
    const bool goes_on =
        !charsmap.empty() &&
        charsmap.Step(node, static_cast<unsigned char>(lead), ends);
    if (ends || symbols.BeginsWith(static_cast<unsigned char>(lead))) {
      for (uint32_t i = 0; i < count; ++i) Put(never_first_, first + i, false);
    } else if (goes_on) {
      FillFrom(charsmap, node, first, count);
    }
  }
}

void QuickChars::FillAscii(const Charsmap& charsmap,
                           const UserDefinedSymbols& symbols) {
  for (unsigned char byte = 0; byte < 128; ++byte) {
    bool looked_up = symbols.BeginsWith(byte);
    bool is_space = byte == ' ';
    if (!charsmap.empty()) {
      Charsmap::Node node = charsmap.Root();
      bool ends = false;
      if (charsmap.Step(node, byte, ends)) {
        looked_up |= GoesOnBy(charsmap, node, 0, 128);
        if (ends) is_space = BecomesSpace(charsmap, byte);
        looked_up |= ends && !is_space;
      }
    }
    ascii_[byte] = looked_up  ? Ascii::kLookUp
                   : is_space ? Ascii::kSpace
                              : Ascii::kCopy;
  }
  FindRuns();
}

void QuickChars::FindRuns() {
  const auto is = [&](char c, Ascii what) {
    return OfAscii(static_cast<unsigned char>(c)) == what;
  };
  knows_runs_ = is(' ', Ascii::kSpace);
  for (char c = ' ' + 1; c < 0x7f; ++c) knows_runs_ &= is(c, Ascii::kCopy);
  const auto kind = [&](char c) {
    const auto all = [](bool yes) { return yes ? ~uint64_t{0} : 0; };
    return OfKind{all(is(c, Ascii::kCopy)), all(is(c, Ascii::kSpace))};
  };
  line_ends_ = kind('\n');
  tabs_ = kind('\t');
}

void QuickChars::FillFrom(const Charsmap& charsmap, Charsmap::Node node,
                          uint32_t first, uint32_t count) {
  const uint32_t step = count / 64;  // characters for each next byte
  for (uint32_t i = 0; i < 64; ++i) {
    Charsmap::Node next = node;
    bool ends = false;
    if (!charsmap.Step(next, static_cast<unsigned char>(0x80 + i), ends)) {
      continue;
    }
    const uint32_t code_point = first + i * step;
    if (step > 1 && !ends) {
      FillFrom(charsmap, next, code_point, step);
      continue;
    }
    for (uint32_t k = 0; k < step; ++k)
      Put(never_first_, code_point + k, false);
    if (!ends && FillSecond(charsmap, next)) {
      Put(never_alone_, code_point, true);
    }
  }
}

bool QuickChars::FillSecond(const Charsmap& charsmap, Charsmap::Node node) {
  if (GoesOnBy(charsmap, node, 0, 0x80)) return false;
  for (uint32_t lead = 0xc2; lead < 0xf0; ++lead) {
    Charsmap::Node next = node;
    bool ends;
    if (!charsmap.Step(next, static_cast<unsigned char>(lead), ends)) continue;
    const bool is_long = lead >= 0xe0;
    const uint32_t first = is_long ? (lead & 0xf) << 12 : (lead & 0x1f) << 6;
    if (ends || !FillTrails(charsmap, next, first, is_long ? 64 : 1)) {
      return false;
    }
  }
  return true;
}

bool QuickChars::FillTrails(const Charsmap& charsmap, Charsmap::Node node,
                            uint32_t first, uint32_t step) {
  if (GoesOnBy(charsmap, node, 0, 0x80) ||
      GoesOnBy(charsmap, node, 0xc0, 0x100)) {
    return false;
  }
  for (uint32_t i = 0; i < 64; ++i) {
    Charsmap::Node next = node;
    bool ends;
    if (!charsmap.Step(next, static_cast<unsigned char>(0x80 + i), ends)) {
      continue;
    }
    if (step == 1) {
      Put(second_, first + i, true);
    } else if (ends || !FillTrails(charsmap, next, first + i * step, 1)) {
      return false;
    }
  }
  return true;
}

void QuickChars::Put(Set& set, uint32_t code_point, bool in) {
  const uint64_t bit = uint64_t{1} << code_point % 64;
  uint64_t& bits = set.At(code_point / 64);
  bits = in ? bits | bit : bits & ~bit;
}

void QuickChars::Save(TableWriter& to) const {
  to.PutText({reinterpret_cast<const char*>(ascii_.data()), ascii_.size()});
  for (const Set* set : {&never_first_, &never_alone_, &second_}) {
    to.PutTable(*set);
  }
}

QuickChars QuickChars::Load(TableReader& from) {
  QuickChars chars;
  const std::string_view ascii = from.Text();
  from.Expect(ascii.size() == chars.ascii_.size());
  if (from.ok()) std::memcpy(chars.ascii_.data(), ascii.data(), ascii.size());
  chars.FindRuns();
  for (Set* set : {&chars.never_first_, &chars.never_alone_, &chars.second_}) {
    *set = from.TakeTable<uint64_t>();
    from.Expect(set->size() == kEnd / 64);
  }
  return chars;
}

}  // namespace penstock
