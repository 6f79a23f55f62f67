// SPDX-License-Identifier: GPL-2.0
/*
 * btf2h: writes what the target kernel has (macros that our code tests instead
 * of a kernel version) and the assertions that tie the header to it.
 *
 *	CFQX_HAVE_STRUCT_elevator_tags		a listed type exists
 *	CFQX_HAVE_request_queue__async_depth	a listed member exists
 *	CFQX_LEN_blkcg__pd 6			it is an array of 6
 *	CFQX_CONST_elevator_type__elevator_attrs	it is const, or points to const
 *	CFQX_HAVE_FUNC_elevator_alloc		a listed function can be called
 *	CFQX_FUNC_elevator_alloc_NARGS 2
 *	CFQX_FUNC_elevator_alloc_ARG1_request_queue
 *	CFQX_OP_init_sched_NARGS, _ARG2_elevator_type, _RET_int
 *	CFQX_TRACEPOINT_block_bio_queue_NARGS 1, _ARG1_bio
 *
 * Arguments count from 1; a type stands without const and '*', its words
 * joined by '_'.
 */
#include <string.h>

#include "btf2h.h"

static void absent(const struct job *job, const struct item *item, const char *what)
{
	if (!item->optional)
		die("%s:%u: %s %s is not in %s.", job->list->path, item->line,
		    what, item->name, job->btf->path);
}

uint32_t item_type(const struct job *job, const struct item *item)
{
	static const struct {
		enum btf_kind kind;
		const char *word;
	} kinds[] = {
		[I_STRUCT]	= { K_STRUCT, "struct" },
		[I_UNION]	= { K_UNION, "union" },
		[I_ENUM]	= { K_ENUM, "enum" },
		[I_TYPEDEF]	= { K_TYPEDEF, "typedef" },
		[I_TRACEPOINT]	= { K_TYPEDEF, "tracepoint" },
	};
	const char *name = item->name;
	uint32_t id;

	if (item->kind >= ARRAY_SIZE(kinds) || !kinds[item->kind].word)
		return 0;
	if (item->kind == I_TRACEPOINT)
		name = xasprintf("btf_trace_%s", name);
	id = btf_find(job->btf, kinds[item->kind].kind, name);
	if (!id)
		absent(job, item, kinds[item->kind].word);
	return id;
}

/* Exported, or inline in a public header. */
uint32_t item_func(const struct job *job, const struct item *item, bool *callable)
{
	const char *decl = set_value(&job->known->decls, item->name);

	*callable = set_has(job->exported, item->name) ||
		    (decl && !strcmp(decl, "body"));
	if (*callable)
		return btf_find(job->btf, K_FUNC, item->name);
	if (!item->optional)
		die("%s:%u: this kernel does not export %s.", job->list->path,
		    item->line, item->name);
	return 0;
}

/* A member, also of an unnamed struct or union in it; offset from the outside. */
bool find_member(const struct btf *btf, uint32_t id, const char *name, struct member *found)
{
	struct member m;
	uint32_t i, type;

	for (i = 0; i < btf->types[id].vlen; i++) {
		m = btf_member(btf, id, i);
		if (!strcmp(m.name, name)) {
			*found = m;
			return true;
		}
		type = btf_strip(btf, m.type);
		if (!*m.name && btf_is_aggregate(btf, type) &&
		    find_member(btf, type, name, found)) {
			found->bit_off += m.bit_off;
			return true;
		}
	}
	return false;
}

/* One word for a type: "struct gendisk *" is gendisk. */
static const char *type_token(const struct btf *btf, uint32_t id)
{
	const struct type *t;
	char *name, *p;

	for (;;) {
		id = btf_strip(btf, id);
		t = &btf->types[id];
		if (t->kind == K_PTR)
			id = t->size;
		else if (t->kind == K_ARRAY)
			id = btf_array(btf, id).elem;
		else
			break;
	}
	if (t->kind == K_FUNC_PROTO)
		return "function";
	if (!*t->name)
		return "unnamed";
	name = xstrndup(t->name, strlen(t->name));
	for (p = name; *p; p++)
		if (*p == ' ')
			*p = '_';
	return strcmp(name, "_Bool") ? name : "bool";
}

static void emit_signature(struct job *job, uint32_t proto, const char *prefix,
			   uint32_t first)
{
	const struct type *t = &job->btf->types[proto];
	uint32_t i;

	fprintf(job->out, "#define %s_NARGS %u\n", prefix, t->vlen - first);
	fprintf(job->out, "#define %s_RET_%s 1\n", prefix, type_token(job->btf, t->size));
	for (i = first; i < t->vlen; i++) {
		struct param p = btf_param(job->btf, proto, i);

		fprintf(job->out, "#define %s_ARG%u_%s 1\n", prefix, i + 1 - first,
			p.type ? type_token(job->btf, p.type) : "variadic");
	}
}

static void emit_have(struct job *job, bool have, const char *name)
{
	if (have)
		fprintf(job->out, "#define CFQX_HAVE_%s 1\n", name);
	else
		fprintf(job->out, "/* CFQX_HAVE_%s is not set */\n", name);
}

static void emit_have_type(struct job *job, const struct item *item, const char *word)
{
	emit_have(job, item_type(job, item), xasprintf("%s_%s", word, item->name));
}

static bool points_to_const(const struct btf *btf, uint32_t id)
{
	uint32_t to = btf_strip(btf, id);

	return btf_is_const(btf, id) ||
	       (btf->types[to].kind == K_PTR && btf_is_const(btf, btf->types[to].size));
}

static void emit_fact(struct job *job, const struct item *item)
{
	uint32_t id = btf_find(job->btf, K_STRUCT, item->name);
	const char *name = xasprintf("%s__%s", item->name, item->member);
	struct member m = { 0 };
	uint32_t type;
	bool have;

	if (!id)
		id = btf_find(job->btf, K_UNION, item->name);
	if (!id)
		absent(job, item, "struct");
	have = id && find_member(job->btf, id, item->member, &m);
	emit_have(job, have, name);
	if (!have)
		return;
	type = btf_resolve(job->btf, m.type);
	if (job->btf->types[type].kind == K_ARRAY)
		fprintf(job->out, "#define CFQX_LEN_%s %u\n", name,
			btf_array(job->btf, type).nelems);
	if (points_to_const(job->btf, m.type))
		fprintf(job->out, "#define CFQX_CONST_%s 1\n", name);
}

static void emit_ops(struct job *job, const struct item *item)
{
	uint32_t id = btf_find(job->btf, K_STRUCT, item->name);
	uint32_t i;

	if (!id) {
		absent(job, item, "struct");
		return;
	}
	for (i = 0; i < job->btf->types[id].vlen; i++) {
		struct member m = btf_member(job->btf, id, i);
		uint32_t proto = btf_proto(job->btf, m.type);

		if (proto)
			emit_signature(job, proto, xasprintf("CFQX_OP_%s", m.name), 0);
	}
}

static void emit_func_facts(struct job *job, const struct item *item)
{
	bool callable;
	uint32_t func = item_func(job, item, &callable);

	emit_have(job, callable, xasprintf("FUNC_%s", item->name));
	if (func)
		emit_signature(job, btf_proto(job->btf, func),
			       xasprintf("CFQX_FUNC_%s", item->name), 0);
}

static void emit_tracepoint(struct job *job, const struct item *item)
{
	uint32_t id = item_type(job, item);

	emit_have(job, id, xasprintf("TRACEPOINT_%s", item->name));
	/* The first argument is the probe's own. */
	if (id)
		emit_signature(job, btf_proto(job->btf, id),
			       xasprintf("CFQX_TRACEPOINT_%s", item->name), 1);
}

void emit_facts(struct job *job)
{
	size_t i;

	fprintf(job->out, "\n/* What this kernel has */\n\n");
	for (i = 0; i < job->list->nr; i++) {
		const struct item *item = &job->list->items[i];

		switch (item->kind) {
		case I_STRUCT:
			emit_have_type(job, item, "STRUCT");
			break;
		case I_UNION:
			emit_have_type(job, item, "UNION");
			break;
		case I_ENUM:
			emit_have_type(job, item, "ENUM");
			break;
		case I_TYPEDEF:
			emit_have_type(job, item, "TYPEDEF");
			break;
		case I_FUNC:
			emit_func_facts(job, item);
			break;
		case I_VAR:
			emit_have(job, set_has(job->exported, item->name),
				  xasprintf("VAR_%s", item->name));
			break;
		case I_TRACEPOINT:
			emit_tracepoint(job, item);
			break;
		case I_FACT:
			emit_fact(job, item);
			break;
		case I_OPS:
			emit_ops(job, item);
			break;
		case I_INCLUDE:
		case I_MARK:
			break;
		}
	}
}

static void assert_members(struct job *job, uint32_t id, const char *tag, uint32_t base)
{
	uint32_t i, type;

	for (i = 0; i < job->btf->types[id].vlen; i++) {
		struct member m = btf_member(job->btf, id, i);

		type = btf_strip(job->btf, m.type);
		if (!*m.name && btf_is_aggregate(job->btf, type))
			assert_members(job, type, tag, base + m.bit_off);
		else if (*m.name && !m.bits)
			fprintf(job->out,
				"_Static_assert(offsetof(%s, %s) == %u, \"%s is of another kernel\");\n",
				tag, m.name, (base + m.bit_off) / 8, tag);
	}
}

static void assert_layout(struct job *job, uint32_t id, const char *tag)
{
	fprintf(job->out, "_Static_assert(sizeof(%s) == %u, \"%s is of another kernel\");\n",
		tag, job->btf->types[id].size, tag);
	assert_members(job, id, tag, 0);
}

/* Listed types, public or not, and those that came along with them. */
void emit_asserts(struct job *job)
{
	struct set done = { 0 };
	size_t i;

	fprintf(job->out, "\n/* The kernel that this header is for, and no other */\n\n");
	/* sparse lays out some aligned types in its own way */
	fprintf(job->out, "#ifndef __CHECKER__\n");
	for (i = 0; i < job->list->nr; i++) {
		const struct item *item = &job->list->items[i];
		uint32_t id = item_type(job, item);
		const char *tag;

		if (!id || !btf_is_aggregate(job->btf, id))
			continue;
		tag = xasprintf("%s %s", item->kind == I_UNION ? "union" : "struct",
				item->name);
		set_put(&done, tag, NULL);
		assert_layout(job, id, tag);
	}
	for (i = 0; i < job->emitted.size; i++) {
		const char *tag = job->emitted.slots[i].name;
		bool is_union = tag && !strncmp(tag, "union ", 6);

		if (!tag || set_has(&done, tag) || (strncmp(tag, "struct ", 7) && !is_union))
			continue;
		assert_layout(job, btf_find(job->btf, is_union ? K_UNION : K_STRUCT,
					    strchr(tag, ' ') + 1), tag);
	}
	fprintf(job->out, "#endif\n");
}
