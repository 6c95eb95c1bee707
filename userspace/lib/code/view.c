// SPDX-License-Identifier: BSD-2-Clause
#include "code/view.h"

/* Without memory for strides outcomes go one by one. */
void code_view_set(struct code_view *view, struct code_image *image)
{
	const struct code_blocks *blocks = code_image_blocks(image);

	if (!view->strides)
		view->strides = strides_new(false);
	if (view->image == image && view->generation == blocks->generation)
		return;
	strides_forget(view->strides);
	code_blocks_free(&view->blocks);
	view->image = image;
	view->generation = blocks->generation;
	view->blocks = (struct code_blocks){ .read = blocks->read, .ctx = blocks->ctx };
}

void code_view_done(struct code_view *view)
{
	code_blocks_free(&view->blocks);
	strides_free(view->strides);
}
