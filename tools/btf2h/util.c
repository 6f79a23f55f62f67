// SPDX-License-Identifier: GPL-2.0
/* btf2h: memory, strings, sets of names, errors. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "btf2h.h"

void die(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("btf2h: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

void *xalloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		die("out of memory for %zu bytes.", size);
	return p;
}

char *xstrndup(const char *s, size_t len)
{
	char *p = xalloc(len + 1);

	memcpy(p, s, len);
	return p;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *p;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&p, fmt, ap);
	va_end(ap);
	if (len < 0)
		die("out of memory for a string.");
	return p;
}

/* Reads pipes and sysfs too, so the size is not asked in advance. */
struct blob read_file(const char *path)
{
	struct blob blob = { 0 };
	size_t room = 0, got;
	struct stat st;
	FILE *f;

	f = fopen(path, "rb");
	if (!f)
		die("cannot open %s: %s.", path, strerror(errno));
	if (!fstat(fileno(f), &st) && S_ISDIR(st.st_mode))
		die("cannot read %s: it is a directory.", path);
	do {
		if (blob.size == room) {
			room = room ? room * 2 : 1 << 20;
			blob.data = realloc(blob.data, room + 1);
			if (!blob.data)
				die("out of memory for %s.", path);
		}
		got = fread(blob.data + blob.size, 1, room - blob.size, f);
		blob.size += got;
	} while (got);
	if (ferror(f))
		die("cannot read %s: %s.", path, strerror(errno));
	fclose(f);
	blob.data[blob.size] = '\0';
	return blob;
}

static size_t hash(const char *name)
{
	size_t h = 5381;

	while (*name)
		h = h * 33 ^ (uint8_t)*name++;
	return h;
}

static struct set_entry *slot(const struct set *set, const char *name)
{
	size_t i = hash(name) & (set->size - 1);

	while (set->slots[i].name && strcmp(set->slots[i].name, name))
		i = (i + 1) & (set->size - 1);
	return &set->slots[i];
}

static void grow(struct set *set)
{
	struct set old = *set;
	size_t i;

	set->size = old.size ? old.size * 2 : 256;
	set->slots = xalloc(set->size * sizeof(*set->slots));
	for (i = 0; i < old.size; i++)
		if (old.slots[i].name)
			*slot(set, old.slots[i].name) = old.slots[i];
	free(old.slots);
}

/* Adds the name or replaces its value. */
void set_put(struct set *set, const char *name, const char *value)
{
	struct set_entry *e;

	if (set->used * 2 >= set->size)
		grow(set);
	e = slot(set, name);
	if (!e->name) {
		e->name = xstrndup(name, strlen(name));
		set->used++;
	}
	e->value = value ? xstrndup(value, strlen(value)) : "";
}

bool set_has(const struct set *set, const char *name)
{
	return set->size && slot(set, name)->name;
}

const char *set_value(const struct set *set, const char *name)
{
	return set->size ? slot(set, name)->value : NULL;
}
