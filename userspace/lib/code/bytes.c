// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code/bytes.h"

#define PAGE	4096u

struct bytes_page {
	uint64_t addr;
	uint8_t bytes[PAGE];
	bool known[PAGE];
};

/* The first page that does not lie before @addr's */
static size_t find(const struct code_bytes *b, uint64_t addr)
{
	size_t low = 0, high = b->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (b->pages[mid]->addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct bytes_page *page_at(const struct code_bytes *b, uint64_t addr)
{
	const uint64_t page = addr - addr % PAGE;
	const size_t i = find(b, page);

	return i < b->nr && b->pages[i]->addr == page ? b->pages[i] : NULL;
}

static struct bytes_page *add_page(struct code_bytes *b, uint64_t addr)
{
	struct bytes_page **more = reallocarray(b->pages, b->nr + 1, sizeof(*more));
	struct bytes_page *page = calloc(1, sizeof(*page));
	size_t i;

	if (more)
		b->pages = more;
	if (!more || !page) {
		free(page);
		return NULL;
	}
	page->addr = addr - addr % PAGE;
	i = find(b, page->addr);
	memmove(&more[i + 1], &more[i], (b->nr - i) * sizeof(*more));
	more[i] = page;
	b->nr++;
	return page;
}

int code_bytes_put(struct code_bytes *b, uint64_t addr, const uint8_t *bytes, size_t len,
		   bool newer)
{
	struct bytes_page *page = NULL;
	size_t i;

	for (i = 0; i < len; i++, addr++) {
		const size_t at = addr % PAGE;

		if (!page || !at) {
			page = page_at(b, addr);
			if (!page)
				page = add_page(b, addr);
			if (!page)
				return -ENOMEM;
		}
		if (newer || !page->known[at])
			page->bytes[at] = bytes[i];
		page->known[at] = true;
	}
	return 0;
}

size_t code_bytes_get(const struct code_bytes *b, uint64_t addr, uint8_t *buf, size_t size)
{
	const struct bytes_page *page = NULL;
	size_t n;

	for (n = 0; n < size; n++, addr++) {
		if (!page || !(addr % PAGE))
			page = page_at(b, addr);
		if (!page || !page->known[addr % PAGE])
			break;
		buf[n] = page->bytes[addr % PAGE];
	}
	return n;
}

int code_bytes_copy(struct code_bytes *to, const struct code_bytes *from)
{
	to->pages = calloc(from->nr + 1, sizeof(*to->pages));
	if (!to->pages)
		return -ENOMEM;
	for (; to->nr < from->nr; to->nr++) {
		to->pages[to->nr] = malloc(sizeof(**to->pages));
		if (!to->pages[to->nr])
			return -ENOMEM;
		*to->pages[to->nr] = *from->pages[to->nr];
	}
	return 0;
}

void code_bytes_free(struct code_bytes *b)
{
	while (b->nr)
		free(b->pages[--b->nr]);
	free(b->pages);
}
