/* SPDX-License-Identifier: GPL-2.0-only */
/* kmod/ring/ring.h includes it; nothing of it is used here */
