// SPDX-License-Identifier: BSD-2-Clause
/*
 * The page in pixels, by librsvg. It brings fifty libraries with it: they are loaded when
 * a picture is drawn, so that no other command waits for them and no guest carries them.
 */
#include <errno.h>
#include <string.h>

#include "base/library.h"
#include "png.h"
#include "../cli/tool.h"

#ifdef HAVE_RSVG
#include <librsvg/rsvg.h>

#define LIBRARY	"librsvg-2.so.2"
#define ZOOM	2	/* pixels of a unit of the page, for screens that show small ones */

#define FUNCTIONS(X) \
	X(rsvg_handle_new_from_data) \
	X(rsvg_handle_render_document) \
	X(g_object_unref) \
	X(g_error_free) \
	X(cairo_image_surface_create) \
	X(cairo_create) \
	X(cairo_destroy) \
	X(cairo_surface_write_to_png_stream) \
	X(cairo_surface_destroy) \
	X(cairo_status_to_string)

/* librsvg, and what it is linked with */
static struct {
#define X(name) __typeof__(name) *name;
	FUNCTIONS(X)
#undef X
} lib;

int eval_png_load(const char *path)
{
	static const struct library_function wanted[] = {
#define X(name) { #name, (void **)&lib.name },
		FUNCTIONS(X)
#undef X
	};
	const char *missing = library_load(LIBRARY, wanted, sizeof(wanted) / sizeof(wanted[0]));

	if (!missing)
		return 0;
	if (!strcmp(missing, LIBRARY))
		return refuse(path, "no PNG: %s is missing: apt-get install librsvg2-2", LIBRARY);
	return refuse(path, "no PNG: %s has no %s: is it older than 2.46?", LIBRARY, missing);
}

static cairo_status_t put(void *to, const unsigned char *data, unsigned int len)
{
	return fwrite(data, 1, len, to) == len ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

/* Return: NULL, or why not */
static const char *render(FILE *to, RsvgHandle *page, double width, double height)
{
	const RsvgRectangle whole = { 0, 0, ZOOM * width, ZOOM * height };
	cairo_surface_t *surface = lib.cairo_image_surface_create(CAIRO_FORMAT_RGB24, whole.width,
								  whole.height);
	cairo_t *cr = lib.cairo_create(surface);
	const char *why = NULL;
	cairo_status_t status;

	if (!lib.rsvg_handle_render_document(page, cr, &whole, NULL)) {
		why = "librsvg cannot draw it";
	} else {
		status = lib.cairo_surface_write_to_png_stream(surface, put, to);
		if (status)
			why = status == CAIRO_STATUS_WRITE_ERROR ? strerror(errno) :
			      lib.cairo_status_to_string(status);
	}
	lib.cairo_destroy(cr);
	lib.cairo_surface_destroy(surface);
	return why;
}

int eval_png(FILE *to, const char *path, const char *svg, size_t len, double width, double height)
{
	GError *error = NULL;
	RsvgHandle *page = lib.rsvg_handle_new_from_data((const void *)svg, len, &error);
	const char *why;

	if (!page) {
		refuse(path, "%s", error->message);
		lib.g_error_free(error);
		return EXIT_REFUSED;
	}
	why = render(to, page, width, height);
	lib.g_object_unref(page);
	return why ? refuse(path, "%s", why) : 0;
}

#else

int eval_png_load(const char *path)
{
	return refuse(path, "no PNG: built without librsvg: apt-get install librsvg2-dev, then make clean all; --svg needs none");
}

int eval_png(FILE *to, const char *path, const char *svg, size_t len, double width, double height)
{
	(void)to, (void)svg, (void)len, (void)width, (void)height;
	return eval_png_load(path);
}

#endif
