/* SPDX-License-Identifier: BSD-2-Clause */
/* What each target has: a promise of the code that is broken for some bytes aborts. */
#ifndef SOFTPT_FUZZ_H
#define SOFTPT_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
