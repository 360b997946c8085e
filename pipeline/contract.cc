#include "pipeline/contract.h"
