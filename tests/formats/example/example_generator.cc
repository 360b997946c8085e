#include "tests/formats/example/example_generator.h"

#include <bit>
#include <cstddef>

#include "tests/formats/wire/wire_builder.h"

namespace penstock::testing {

// Every size of varint is as likely as any other.
int64_t ExampleGenerator::Int() {
  const uint64_t value = random_() >> Below(64);
  return static_cast<int64_t>(OneIn(4) ? -value : value);
}

float ExampleGenerator::Float() {
  return std::bit_cast<float>(static_cast<uint32_t>(random_()));
}

std::string ExampleGenerator::Bytes() {
  std::string bytes(OneIn(8) ? Below(300) : Below(6), '\0');
  for (char& c : bytes) c = static_cast<char>(random_());
  return bytes;
}

std::string ExampleGenerator::Name() {
  if (OneIn(40)) return "na\xc3\xafve";
  if (OneIn(200)) return "\xed\xa0\x80";  // a surrogate: not UTF-8
  return std::string(1, static_cast<char>('a' + Below(3)));
}

wire::Example ExampleGenerator::Message() {
  wire::Example message;
  auto& features = *message.mutable_features()->mutable_feature();
  for (const char* name : {"a", "b", "c"}) {
    if (OneIn(5)) continue;
    wire::Feature& feature = features[name];
    const uint64_t values = OneIn(6) ? Below(200) : Below(4);
    switch (Below(7)) {
      case 0:
        break;  // no kind at all
      case 1:
      case 2:
        feature.mutable_bytes_list();
        for (uint64_t i = 0; i < values; ++i) {
          feature.mutable_bytes_list()->add_value(Bytes());
        }
        break;
      case 3:
      case 4:
        feature.mutable_float_list();
        for (uint64_t i = 0; i < values; ++i) {
          feature.mutable_float_list()->add_value(Float());
        }
        break;
      default:
        feature.mutable_int64_list();
        for (uint64_t i = 0; i < values; ++i) {
          feature.mutable_int64_list()->add_value(Int());
        }
    }
  }
  return message;
}

std::string ExampleGenerator::Number(uint64_t value) {
  std::string bytes = Varint(value);
  if (!OneIn(12)) return bytes;
  return LongVarint(value, bytes.size() + Below(OneIn(20) ? 12 : 3));
}

std::string ExampleGenerator::Unknown(int depth) {
  const uint32_t field = OneIn(3) ? 1 + Below(3) : 4 + Below(5000);
  switch (Below(depth > 0 ? 5 : 4)) {
    case 0:
      return Tag(field, 0) + Number(random_() >> Below(64));
    case 1:
      return Fixed64Field(field, "12345678");
    case 2:
      return Fixed32Field(field, "1234");
    case 3:
      // Not fields 1 to 3, which mean something where wire type 2 is used.
      return Chunk(field + 3, Bytes());
    default: {
      std::string inside;
      for (uint64_t i = Below(3); i > 0; --i) inside += Unknown(depth - 1);
      return OneIn(20) ? NestedGroups(field, 90 + Below(14), inside)
                       : Group(field, inside);
    }
  }
}

std::string ExampleGenerator::List(int kind) {
  std::string fields;
  for (uint64_t parts = Below(4); parts > 0; --parts) {
    if (OneIn(6)) {
      fields += Unknown(2);
    } else if (kind == 1) {
      fields += Chunk(1, Bytes());
    } else if (kind == 2 && OneIn(2)) {
      fields += Fixed32Field(1, FloatBytes(Float()));
    } else if (kind == 3 && OneIn(2)) {
      fields += Tag(1, 0) + Number(Int());
    } else {
      std::string packed;
      for (uint64_t i = Below(OneIn(4) ? 60 : 5); i > 0; --i) {
        packed += kind == 2 ? FloatBytes(Float()) : Number(Int());
      }
      fields += Chunk(1, packed);
    }
  }
  return fields;
}

std::string ExampleGenerator::FeatureFields() {
  std::string fields;
  do {
    if (OneIn(6)) fields += Unknown(2);
    const int kind = 1 + Below(3);
    fields += Chunk(kind, List(kind));
  } while (OneIn(3));
  return OneIn(12) ? "" : fields;
}

std::string ExampleGenerator::EntryFields() {
  if (!OneIn(4)) return Key(Name()) + Value(FeatureFields());
  std::string fields;
  for (uint64_t parts = Below(5); parts > 0; --parts) {
    switch (Below(5)) {
      case 0:
      case 1:
        fields += Key(Name());
        break;
      case 2:
      case 3:
        fields += Value(FeatureFields());
        break;
      default:
        fields += Unknown(2);
    }
  }
  return fields;
}

std::string ExampleGenerator::Wire() {
  std::string record;
  do {
    std::string entries;
    for (uint64_t i = Below(6); i > 0; --i) {
      entries += OneIn(10) ? Unknown(2) : Chunk(1, EntryFields());
    }
    if (OneIn(10)) record += Unknown(2);
    record += Tag(1, 2) + LongVarint(entries.size(), Below(6)) + entries;
  } while (OneIn(4));
  return record;
}

std::string ExampleGenerator::Mutated(std::string record) {
  if (record.empty()) return record;
  const size_t at = Below(record.size());
  switch (Below(8)) {
    case 0:
      return record.substr(0, at);
    case 1:
      return record.erase(at, 1);
    case 2:
      return record.insert(at, 1, static_cast<char>(random_()));
    case 3:  // off by one: lengths and tags next to the right ones
      record[at] = static_cast<char>(record[at] + (OneIn(2) ? 1 : -1));
      return record;
    case 4:
      record[at] = static_cast<char>(random_());
      return record;
    default:
      record[at] = static_cast<char>(record[at] ^ (1 << Below(8)));
      return record;
  }
}

}  // namespace penstock::testing
