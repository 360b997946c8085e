// Where each nanosecond of a device went.
#pragma once
