// SPDX-License-Identifier: GPL-2.0
/*
 * btf2h: reads BTF and answers questions about its types.
 *
 * The whole section is checked once: every offset into the strings, every type
 * that is referred to and every trailing array, so that all later code may
 * trust what it finds. The format is Documentation/bpf/btf.rst of the kernel.
 */
#include <string.h>

#include "btf2h.h"

#define MAX_DEPTH	256	/* types inside of one another, without end if more */

struct btf_hdr {
	uint16_t magic;
	uint8_t version;
	uint8_t flags;
	uint32_t hdr_len;
	uint32_t type_off, type_len;
	uint32_t str_off, str_len;
};

struct btf_type {
	uint32_t name_off;
	uint32_t info;
	uint32_t size;
};

static uint32_t word(const uint8_t *p, unsigned int i)
{
	uint32_t v;

	memcpy(&v, p + 4 * (size_t)i, 4);
	return v;
}

static const char *string(const struct btf *btf, uint32_t off)
{
	if (off >= btf->strings_size)
		die("%s holds damaged BTF: a name lies outside of its strings.", btf->path);
	return btf->strings + off;
}

/* Bytes that follow the common part of a type. */
static size_t extra_size(const struct btf *btf, const struct type *t)
{
	size_t n = t->vlen;

	switch (t->kind) {
	case K_INT:
	case K_VAR:
	case K_DECL_TAG:
		return 4;
	case K_ARRAY:
		return 12;
	case K_STRUCT:
	case K_UNION:
	case K_DATASEC:
	case K_ENUM64:
		return 12 * n;
	case K_ENUM:
	case K_FUNC_PROTO:
		return 8 * n;
	case K_PTR:
	case K_FWD:
	case K_TYPEDEF:
	case K_VOLATILE:
	case K_CONST:
	case K_RESTRICT:
	case K_FUNC:
	case K_FLOAT:
	case K_TYPE_TAG:
		return 0;
	case K_VOID:
		break;
	}
	die("%s holds a BTF type of kind %u, which btf2h does not know.",
	    btf->path, (unsigned int)t->kind);
}

static void check_ref(const struct btf *btf, uint32_t id)
{
	if (id >= btf->nr)
		die("%s holds damaged or partial BTF: it refers to type %u of %u.",
		    btf->path, id, btf->nr - 1);
}

static void check_members(const struct btf *btf, const struct type *t)
{
	uint32_t i;

	for (i = 0; i < t->vlen; i++) {
		string(btf, word(t->extra, 3 * i));
		check_ref(btf, word(t->extra, 3 * i + 1));
	}
}

static void check_type(const struct btf *btf, const struct type *t)
{
	uint32_t i;

	switch (t->kind) {
	case K_PTR:
	case K_TYPEDEF:
	case K_VOLATILE:
	case K_CONST:
	case K_RESTRICT:
	case K_FUNC:
	case K_TYPE_TAG:
		check_ref(btf, t->size);
		break;
	case K_ARRAY:
		check_ref(btf, word(t->extra, 0));
		break;
	case K_STRUCT:
	case K_UNION:
		check_members(btf, t);
		break;
	case K_FUNC_PROTO:
		check_ref(btf, t->size);
		for (i = 0; i < t->vlen; i++) {
			string(btf, word(t->extra, 2 * i));
			check_ref(btf, word(t->extra, 2 * i + 1));
		}
		break;
	case K_ENUM:
		for (i = 0; i < t->vlen; i++)
			string(btf, word(t->extra, 2 * i));
		break;
	case K_ENUM64:
		for (i = 0; i < t->vlen; i++)
			string(btf, word(t->extra, 3 * i));
		break;
	default:
		break;
	}
}

/*
 * No type may hold itself, or later code would not end. What a pointer leads to
 * counts until a name ends the text: such types are written where they are used.
 */
static void check_nesting(const struct btf *btf, uint8_t *seen, uint32_t id, bool by_value,
			  int depth)
{
	const struct type *t = &btf->types[id];
	uint8_t bit = by_value ? 2 : 1;
	uint32_t i;

	if (seen[id] & bit)
		return;
	if (depth > MAX_DEPTH)
		die("%s holds damaged BTF: type %u refers to itself.", btf->path, id);
	switch (t->kind) {
	case K_PTR:
	case K_FUNC:
		check_nesting(btf, seen, t->size, false, depth + 1);
		break;
	case K_TYPEDEF:
		if (!by_value)
			return;
		fallthrough;
	case K_VOLATILE:
	case K_CONST:
	case K_RESTRICT:
	case K_TYPE_TAG:
		check_nesting(btf, seen, t->size, by_value, depth + 1);
		break;
	case K_ARRAY:
		check_nesting(btf, seen, word(t->extra, 0), true, depth + 1);
		break;
	case K_STRUCT:
	case K_UNION:
		if (!by_value && *t->name)
			return;
		for (i = 0; i < t->vlen; i++)
			check_nesting(btf, seen, word(t->extra, 3 * i + 1), true, depth + 1);
		break;
	case K_FUNC_PROTO:
		check_nesting(btf, seen, t->size, false, depth + 1);
		for (i = 0; i < t->vlen; i++)
			check_nesting(btf, seen, word(t->extra, 2 * i + 1), false, depth + 1);
		break;
	default:
		break;
	}
	seen[id] |= bit;
}

/* Walks the types; fills btf->types unless it is NULL. Returns their number. */
static uint32_t walk(struct btf *btf, const uint8_t *p, size_t len)
{
	struct btf_type raw;
	struct type t = { 0 };
	uint32_t nr = 1;
	size_t extra;

	while (len) {
		if (len < sizeof(raw))
			die("%s holds BTF that is cut short.", btf->path);
		memcpy(&raw, p, sizeof(raw));
		p += sizeof(raw);
		len -= sizeof(raw);
		t.kind = raw.info >> 24 & 0x1f;
		t.kind_flag = raw.info >> 31;
		t.vlen = raw.info & 0xffff;
		t.size = raw.size;
		t.name = string(btf, raw.name_off);
		t.extra = p;
		extra = extra_size(btf, &t);
		if (len < extra)
			die("%s holds BTF that is cut short.", btf->path);
		p += extra;
		len -= extra;
		if (btf->types)
			btf->types[nr] = t;
		nr++;
	}
	return nr;
}

void btf_parse(struct btf *btf, const struct image *image)
{
	struct blob in = image->btf;
	struct btf_hdr h;
	uint8_t *seen;
	uint64_t end;
	uint32_t i;

	btf->path = image->path;
	btf->types = NULL;
	if (in.size < sizeof(h))
		die("%s holds BTF that is cut short.", btf->path);
	memcpy(&h, in.data, sizeof(h));
	if (h.magic != 0xeb9f)
		die("%s holds no little-endian BTF.", btf->path);
	if (h.version != 1 || h.hdr_len < sizeof(h))
		die("%s holds BTF of version %u, which btf2h does not know.",
		    btf->path, h.version);
	end = (uint64_t)h.hdr_len + h.str_off + h.str_len;
	if (end > in.size || (uint64_t)h.hdr_len + h.type_off + h.type_len > in.size)
		die("%s holds BTF that is cut short.", btf->path);
	btf->strings = (const char *)in.data + h.hdr_len + h.str_off;
	btf->strings_size = h.str_len;
	if (!h.str_len || btf->strings[0] || btf->strings[h.str_len - 1])
		die("%s holds damaged BTF: its strings do not end.", btf->path);

	btf->nr = walk(btf, in.data + h.hdr_len + h.type_off, h.type_len);
	btf->types = xalloc(btf->nr * sizeof(*btf->types));
	btf->types[0].name = "void";
	walk(btf, in.data + h.hdr_len + h.type_off, h.type_len);
	for (i = 1; i < btf->nr; i++)
		check_type(btf, &btf->types[i]);
	seen = xalloc(btf->nr);
	for (i = 1; i < btf->nr; i++)
		check_nesting(btf, seen, i, true, 0);
}

struct member btf_member(const struct btf *btf, uint32_t id, uint32_t i)
{
	const struct type *t = &btf->types[id];
	struct member m = {
		.name = string(btf, word(t->extra, 3 * i)),
		.type = word(t->extra, 3 * i + 1),
		.bit_off = word(t->extra, 3 * i + 2),
	};
	const struct type *base;
	uint32_t enc;

	if (t->kind_flag) {
		m.bits = m.bit_off >> 24;
		m.bit_off &= 0xffffff;
		return m;
	}
	/* Older encoding: the bitfield's place is in the integer type. */
	base = &btf->types[btf_resolve(btf, m.type)];
	if (base->kind == K_INT) {
		enc = word(base->extra, 0);
		if ((enc & 0xff) != base->size * 8 || enc >> 16 & 0xff) {
			m.bits = enc & 0xff;
			m.bit_off += enc >> 16 & 0xff;
		}
	}
	return m;
}

struct array btf_array(const struct btf *btf, uint32_t id)
{
	const uint8_t *p = btf->types[id].extra;

	return (struct array){ word(p, 0), word(p, 2) };
}

struct param btf_param(const struct btf *btf, uint32_t id, uint32_t i)
{
	const uint8_t *p = btf->types[id].extra;

	return (struct param){ string(btf, word(p, 2 * i)), word(p, 2 * i + 1) };
}

struct enumerator btf_enumerator(const struct btf *btf, uint32_t id, uint32_t i)
{
	const struct type *t = &btf->types[id];
	struct enumerator e;
	uint64_t low;

	if (t->kind == K_ENUM64) {
		e.name = string(btf, word(t->extra, 3 * i));
		low = word(t->extra, 3 * i + 1);
		e.value = low | (uint64_t)word(t->extra, 3 * i + 2) << 32;
	} else {
		e.name = string(btf, word(t->extra, 2 * i));
		low = word(t->extra, 2 * i + 1);
		e.value = t->kind_flag ? (int32_t)low : (int64_t)low;
	}
	return e;
}

static bool same_layout(const struct btf *btf, uint32_t a, uint32_t b)
{
	const struct type *ta = &btf->types[a], *tb = &btf->types[b];
	uint32_t i;

	if (ta->vlen != tb->vlen || ta->size != tb->size)
		return false;
	if (ta->kind != K_STRUCT && ta->kind != K_UNION)
		return true;
	for (i = 0; i < ta->vlen; i++) {
		struct member ma = btf_member(btf, a, i);
		struct member mb = btf_member(btf, b, i);

		if (strcmp(ma.name, mb.name) || ma.bit_off != mb.bit_off ||
		    ma.bits != mb.bits)
			return false;
	}
	return true;
}

uint32_t btf_find(const struct btf *btf, enum btf_kind kind, const char *name)
{
	uint32_t i, found = 0;

	for (i = 1; i < btf->nr; i++) {
		const struct type *t = &btf->types[i];
		bool same = t->kind == kind ||
			    (kind == K_ENUM && t->kind == K_ENUM64);

		if (!same || strcmp(t->name, name))
			continue;
		if (found && kind != K_FUNC && !same_layout(btf, found, i))
			die("%s holds two different types named %s.", btf->path, name);
		if (!found)
			found = i;
	}
	return found;
}

uint32_t btf_strip(const struct btf *btf, uint32_t id)
{
	for (;;) {
		switch (btf->types[id].kind) {
		case K_VOLATILE:
		case K_CONST:
		case K_RESTRICT:
		case K_TYPE_TAG:
			id = btf->types[id].size;
			break;
		default:
			return id;
		}
	}
}

uint32_t btf_resolve(const struct btf *btf, uint32_t id)
{
	for (;;) {
		id = btf_strip(btf, id);
		if (btf->types[id].kind != K_TYPEDEF)
			return id;
		id = btf->types[id].size;
	}
}

bool btf_is_const(const struct btf *btf, uint32_t id)
{
	for (;;) {
		switch (btf->types[id].kind) {
		case K_CONST:
			return true;
		case K_VOLATILE:
		case K_RESTRICT:
		case K_TYPE_TAG:
			id = btf->types[id].size;
			break;
		default:
			return false;
		}
	}
}

bool btf_is_aggregate(const struct btf *btf, uint32_t id)
{
	return btf->types[id].kind == K_STRUCT || btf->types[id].kind == K_UNION;
}

uint32_t btf_size(const struct btf *btf, uint32_t id)
{
	struct array a;

	id = btf_resolve(btf, id);
	switch (btf->types[id].kind) {
	case K_PTR:
		return 8;
	case K_ARRAY:
		a = btf_array(btf, id);
		return a.nelems * btf_size(btf, a.elem);
	case K_INT:
	case K_STRUCT:
	case K_UNION:
	case K_ENUM:
	case K_ENUM64:
	case K_FLOAT:
		return btf->types[id].size;
	default:
		return 0;
	}
}

/*
 * What the compiler would choose if nobody had written an attribute: BTF does
 * not tell those.
 */
uint32_t btf_align(const struct btf *btf, uint32_t id)
{
	uint32_t i, size, max = 1;

	id = btf_resolve(btf, id);
	if (btf->types[id].kind == K_ARRAY)
		return btf_align(btf, btf_array(btf, id).elem);
	if (!btf_is_aggregate(btf, id)) {
		size = btf_size(btf, id);
		return size ? size : 1;
	}
	for (i = 0; i < btf->types[id].vlen; i++) {
		uint32_t align = btf_align(btf, btf_member(btf, id, i).type);

		if (align > max)
			max = align;
	}
	return max;
}

uint32_t btf_proto(const struct btf *btf, uint32_t id)
{
	int depth = 0;

	for (;;) {
		id = btf_resolve(btf, id);
		switch (btf->types[id].kind) {
		case K_FUNC_PROTO:
			return id;
		case K_FUNC:
		case K_PTR:
			id = btf->types[id].size;
			break;
		default:
			return 0;
		}
		if (++depth > MAX_DEPTH)
			return 0;
	}
}
