// What a tokenizer remembers of pieces, shared by the threads that encode.
#pragma once

#include "tokenizer/pieces/huge_pieces.h"
#include "tokenizer/pieces/inserter.h"
#include "tokenizer/pieces/long_pieces.h"
#include "tokenizer/pieces/piece_cache.h"
#include "tokenizer/pieces/readers.h"

namespace penstock {

// Threads: any number, each with a PieceMemory of its own.
struct SharedPieces {
  // Gives back all memory that pieces came to. Waits until no thread is inside.
  void Clear() {
    readers.WhileAlone([this] {
      pieces.Clear();
      long_pieces.Clear();
      huge_pieces.Clear();
    });
  }

  Readers readers;
  PieceCache pieces{readers};
  LongPieces long_pieces{readers};
  HugePieces huge_pieces;
};

// A thread's way to the pieces.
//
// Threads: one at a time.
class PieceMemory {
 public:
  // `shared` must outlive it. Throws std::bad_alloc.
  explicit PieceMemory(SharedPieces& shared)
      : shared_(shared), reader_(shared.readers) {}

  // The tables may be looked at while one lives: for about as long as a batch
  // of pieces takes, since others may wait.
  class Visit {
   public:
    explicit Visit(PieceMemory& memory) : memory_(memory) { memory.Enter(); }
    ~Visit() { memory_.reader_.Leave(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    PieceMemory& memory_;
  };

  PieceCache& pieces() { return shared_.pieces; }
  LongPieces& long_pieces() { return shared_.long_pieces; }
  HugePieces& huge_pieces() { return shared_.huge_pieces; }
  Inserter& pieces_inserter() { return pieces_inserter_; }
  Inserter& long_inserter() { return long_inserter_; }

 private:
  void Enter() {
    if (shared_.pieces.WantsRoom()) shared_.pieces.MakeRoom();
    if (shared_.long_pieces.WantsRoom()) shared_.long_pieces.MakeRoom();
    reader_.Enter();
  }

  SharedPieces& shared_;
  Readers::Reader reader_;
  Inserter pieces_inserter_{reader_};
  Inserter long_inserter_{reader_};
};

}  // namespace penstock
