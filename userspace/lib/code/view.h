/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of a process as one more thread sees it: blocks and strides of its own, which it finds
 * by itself. The image must not change meanwhile.
 */
#ifndef SOFTPT_CODE_VIEW_H
#define SOFTPT_CODE_VIEW_H

#include "code/image.h"

/**
 * struct code_view - of one image after the other; all zero: of none
 * @image: what it is of
 * @generation: of the image's own blocks, when those here were found
 * @blocks: of it, which nobody counts
 * @strides: without branches
 */
struct code_view {
	struct code_image *image;
	uint32_t generation;
	struct code_blocks blocks;
	struct strides *strides;
};

/* Look at an image; what is known of it stays while it does not change. */
void code_view_set(struct code_view *view, struct code_image *image);
void code_view_done(struct code_view *view);

#endif /* SOFTPT_CODE_VIEW_H */
