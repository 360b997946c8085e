#include "tokenizer/splitters/metaspace_splitter.h"

#include <utility>
#include <vector>

namespace penstock {

Status MetaspaceSplitter::Cut(Pieces& pieces) const {
  std::vector<Piece> parts;
  parts.reserve(pieces.pieces.size() * 2);
  TextEdit edit(pieces.text);
  for (const Piece piece : pieces.pieces) {
    edit.SkipTo(piece.begin);
    auto begin = static_cast<uint32_t>(edit.size());
    size_t pos = piece.begin;
    const uint32_t first = NextChar(edit.source(), pos);
    if (first != ' ' && first != options_.replacement &&
        (options_.prepend == PrependScheme::kAlways ||
         (options_.prepend == PrependScheme::kFirst &&
          pieces.text.OriginOf(piece.begin, piece.begin + 1).begin == 0))) {
      edit.Put(options_.replacement);
      edit.Insert(first);
    }
    while (true) {
      size_t at = edit.position();
      for (pos = at; pos < piece.end; at = pos) {
        const uint32_t c = NextChar(edit.source(), pos);
        if (c == ' ' || c == options_.replacement) break;
      }
      edit.Copy(at);
      if (at == piece.end) break;
      const auto cut = static_cast<uint32_t>(edit.size());
      if (options_.split && cut > begin) {
        parts.push_back({begin, cut});
        begin = cut;
      }
      edit.Put(options_.replacement);
    }
    const auto end = static_cast<uint32_t>(edit.size());
    if (end > begin) parts.push_back({begin, end});
  }
  edit.Finish();
  pieces.pieces = std::move(parts);
  return OkStatus();
}

}  // namespace penstock
