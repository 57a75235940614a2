/* Read before every test (tests/CMakeLists.txt): its `main` gets a name of its own, since all tests of a kind
 * are one program. */
#pragma once
#ifdef CAPSTAN_TEST_MAIN
int CAPSTAN_TEST_MAIN(void);
#define main CAPSTAN_TEST_MAIN
#endif
