/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SELFTESTS_HOST_PROPELLER_TWIN_H
#define SELFTESTS_HOST_PROPELLER_TWIN_H

unsigned int twin(unsigned int n);

#endif /* SELFTESTS_HOST_PROPELLER_TWIN_H */
