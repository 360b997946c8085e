#include <utility>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/balance.h"

namespace penstock {
namespace {

// Gives the rows of another arranger's batches other places.
class BalancedArranger final : public Arranger {
 public:
  BalancedArranger(std::unique_ptr<Arranger> of, BalanceRule rule)
      : of_(std::move(of)), rule_(rule) {}

  Arranged Add(std::span<const Row> rows, Assignment& out) override {
    const Arranged arranged = of_->Add(rows, out);
    if (arranged.due) BalanceRows(rule_, out);
    return arranged;
  }
  bool FlushFull(Assignment& out) override {
    return Balanced(of_->FlushFull(out), out);
  }
  bool Flush(Assignment& out) override {
    return Balanced(of_->Flush(out), out);
  }
  uint64_t Drop() override { return of_->Drop(); }

  uint64_t held_rows() const override { return of_->held_rows(); }
  std::vector<HeldPiece> Held() const override { return of_->Held(); }
  bool Load(std::span<const HeldPiece> held,
            std::span<const Row> rows) override {
    return of_->Load(held, rows);
  }

  ArrangeCounts counts() const override { return of_->counts(); }
  uint64_t MostHeldBytes() const override { return of_->MostHeldBytes(); }
  uint64_t MostHeldPieces() const override { return of_->MostHeldPieces(); }
  uint64_t MostPieces() const override { return of_->MostPieces(); }

 private:
  bool Balanced(bool made, Assignment& out) const {
    if (made) BalanceRows(rule_, out);
    return made;
  }

  const std::unique_ptr<Arranger> of_;
  const BalanceRule rule_;
};

}  // namespace

std::unique_ptr<Arranger> MakeBalancedArranger(std::unique_ptr<Arranger> of,
                                               BalanceRule rule) {
  return std::make_unique<BalancedArranger>(std::move(of), rule);
}

}  // namespace penstock
