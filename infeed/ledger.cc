#include "infeed/ledger.h"
