/* cmocka with the headers it wants first. Each test file includes this and defines one suite_X(). */
#ifndef PRISTINE_TESTS_UNIT_H
#define PRISTINE_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
