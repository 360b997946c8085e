#include "tokenizer/splitters/metaspace_splitter.h"

#include <string>
#include <utility>
#include <vector>

#include "tokenizer/unicode/replace_byte.h"

namespace penstock {

bool MetaspaceSplitter::IsPrepended(const Pieces& pieces, Piece piece) const {
  size_t pos = piece.begin;
  const uint32_t first = NextChar(pieces.text.text(), pos);
  return first != ' ' && first != options_.replacement &&
         (options_.prepend == PrependScheme::kAlways ||
          (options_.prepend == PrependScheme::kFirst &&
           pieces.text.OriginOf(piece.begin, piece.begin + 1).begin == 0));
}

// Of one piece that stays one, where nobody asks where its bytes came from.
void MetaspaceSplitter::ReplaceAll(Pieces& pieces) const {
  std::string replacement;
  AppendChar(options_.replacement, replacement);
  std::string text =
      Replaced(pieces.text.text(), ByteReplacement(' ', replacement));
  if (IsPrepended(pieces, pieces.pieces[0])) text.insert(0, replacement);
  pieces.pieces[0].end = static_cast<uint32_t>(text.size());
  pieces.text.Rewrite(std::move(text));
}

Status MetaspaceSplitter::Cut(Pieces& pieces) const {
  if (!options_.split && pieces.pieces.size() == 1 &&
      pieces.pieces[0].size() == pieces.text.text().size() &&
      pieces.text.alignment() == Alignment::kDropped) {
    ReplaceAll(pieces);
    return OkStatus();
  }
  std::vector<Piece> parts;
  parts.reserve(pieces.pieces.size() * 2);
  TextEdit edit(pieces.text);
  for (const Piece piece : pieces.pieces) {
    edit.SkipTo(piece.begin);
    auto begin = static_cast<uint32_t>(edit.size());
    if (IsPrepended(pieces, piece)) {
      size_t pos = piece.begin;
      edit.Put(options_.replacement);
      edit.Insert(NextChar(edit.source(), pos));
    }
    while (true) {
      size_t at = edit.position();
      for (size_t pos = at; pos < piece.end; at = pos) {
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
