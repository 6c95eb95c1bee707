/* SPDX-License-Identifier: BSD-2-Clause */
/* The file that the recorder shares */
#ifndef SOFTPT_XL_SHARE_H
#define SOFTPT_XL_SHARE_H

/* Map it, close @fd, and take an area. */
void share_join(int fd);

#endif /* SOFTPT_XL_SHARE_H */
