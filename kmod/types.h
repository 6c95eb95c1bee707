/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The few names that pure C (engine/, x86/) needs of the kernel, for user space too. */
#ifndef _SOFTPT_TYPES_H
#define _SOFTPT_TYPES_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <string.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#ifndef U32_MAX
#define U32_MAX (~(u32)0)
#endif
#ifndef U64_MAX
#define U64_MAX (~(u64)0)
#endif
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define min_t(type, a, b) ({ type _a = (a); type _b = (b); _a < _b ? _a : _b; })
#define max_t(type, a, b) ({ type _a = (a); type _b = (b); _a > _b ? _a : _b; })
#define min(a, b) min_t(__typeof__(a), a, b)
#define max(a, b) max_t(__typeof__(a), a, b)
#define fallthrough __attribute__((__fallthrough__))
#define noinline __attribute_noinline__
#endif

#endif /* _SOFTPT_TYPES_H */
