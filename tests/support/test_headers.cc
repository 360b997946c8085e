// Carries the headers that are precompiled for all tests; does nothing.
int main() { return 0; }
