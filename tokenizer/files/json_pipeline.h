// Reads the components of a tokenizer.json, each on its own. Private to its
// loader.
//
// Errors of all:  kDataLoss for what the format does not allow; kUnimplemented
//                 naming a component, field or value that we do not have.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tokenizer/components/component_tokenizer.h"
#include "tokenizer/decoders/token_decoder.h"
#include "tokenizer/files/json_object.h"
#include "tokenizer/interface/encoding_frame.h"
#include "tokenizer/interface/normalizer.h"
#include "tokenizer/models/token_model.h"
#include "tokenizer/regex/delimiters.h"
#include "tokenizer/regex/text_pattern.h"
#include "tokenizer/splitters/metaspace_splitter.h"
#include "tokenizer/splitters/splitter.h"
#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {

StatusOr<std::unique_ptr<const Normalizer>> ReadNormalizer(
    const JsonObject& json);

// A "pre_tokenizer".
StatusOr<std::unique_ptr<const Splitter>> ReadSplitter(const JsonObject& json);

// With `tables`, which may be null, those are what its "vocab" and "merges"
// came to before.
StatusOr<std::unique_ptr<const TokenModel>> ReadTokenModel(
    const JsonObject& json, TableReader* tables);

StatusOr<std::unique_ptr<const TokenDecoder>> ReadDecoder(
    const JsonObject& json);

// {"String": ...} or {"Regex": ...} in the field "pattern".
StatusOr<std::unique_ptr<const TextPattern>> ReadPattern(
    const JsonObject& json);

// The field "behavior".
StatusOr<Delimiters> ReadDelimiters(const JsonObject& json);

// A "Metaspace", which is a pre-tokenizer and a decoder.
StatusOr<MetaspaceOptions> ReadMetaspace(const JsonObject& json);

// A field that holds one character.
StatusOr<uint32_t> ReadCharacter(const JsonObject& json, std::string_view name);

// "post_processor", and where they are wanted "truncation" and "padding".
struct FrameOptions {
  bool truncation = true;
  bool padding = true;
};
StatusOr<EncodingFrame> ReadFrame(const JsonObject& root, FrameOptions options);

// So that every id that Encode gives is one that Decode takes. Forgets texts
// that are what the vocabulary spells, of which `spelling_of` gives nullopt for
// an id that it lacks.
Status CheckFrame(
    const std::function<std::optional<std::string>(TokenId)>& spelling_of,
    EncodingFrame& frame);

// A model that was made elsewhere.
struct MadeModel {
  std::unique_ptr<const TokenModel> model;
  std::shared_ptr<const FileBytes> tables = nullptr;  // where it looks
  // Of the whole tokenizer, where that has been before.
  std::optional<uint64_t> fingerprint = {};
};

// The whole file, or with `made` all of it but the model's tables. `name` is
// the file's, for people.
StatusOr<std::shared_ptr<const Tokenizer>> ReadComponents(
    const JsonObject& root, const std::string& name, FrameOptions options,
    std::vector<std::string>& warnings, MadeModel made = {});

}  // namespace penstock
