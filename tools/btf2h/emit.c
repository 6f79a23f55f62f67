// SPDX-License-Identifier: GPL-2.0
/*
 * btf2h: writes the missing types and prototypes in C.
 *
 * A type is written after all that it holds by value; what it only points to
 * is declared. Types with a body in the public headers are never written.
 *
 * BTF tells offsets but no attributes: where a member lies further than the
 * compiler would put it, an alignment is added, where it lies nearer, the
 * struct is packed. The assertions (facts.c) prove the outcome.
 */
#include <string.h>

#include "btf2h.h"

#define TABS "\t\t\t\t\t\t\t\t"

static void need(struct job *job, uint32_t id, bool complete);
static char *body(struct job *job, uint32_t id, int indent);

static const char *tag_word(const struct type *t)
{
	switch (t->kind) {
	case K_UNION:
		return "union";
	case K_ENUM:
	case K_ENUM64:
		return "enum";
	case K_FWD:
		return t->kind_flag ? "union" : "struct";
	default:
		return "struct";
	}
}

static char *join(const char *base, const char *inner)
{
	bool space = *inner && *inner != '[';

	return xasprintf("%s%s%s", base, space ? " " : "", inner);
}

static bool enumerators_free(struct job *job, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < job->btf->types[id].vlen; i++)
		if (set_has(&job->known->enumerators,
			    btf_enumerator(job->btf, id, i).name))
			return false;
	return true;
}

static char *enum_body(struct job *job, uint32_t id, int indent)
{
	const struct type *t = &job->btf->types[id];
	char *text = xasprintf("{\n");
	uint32_t i;

	for (i = 0; i < t->vlen; i++) {
		struct enumerator e = btf_enumerator(job->btf, id, i);

		set_put(&job->known->enumerators, e.name, NULL);
		text = xasprintf("%s%.*s%s = %lld%s,\n", text, indent + 1,
				 TABS, e.name, (long long)e.value,
				 t->kind == K_ENUM64 ? "LL" : "");
	}
	return xasprintf("%s%.*s}", text, indent, TABS);
}

/* An unnamed enum whose constants are public can only be an integer. */
static char *enum_text(struct job *job, uint32_t id, int indent)
{
	const struct type *t = &job->btf->types[id];

	if (*t->name)
		return xasprintf("enum %s", t->name);
	if (enumerators_free(job, id))
		return xasprintf("enum %s", enum_body(job, id, indent));
	return xasprintf("%s%s", t->kind_flag ? "" : "unsigned ",
			 t->size == 8 ? "long" : "int");
}

/* C text that declares "inner", a declarator under construction. */
static char *declare(struct job *job, uint32_t id, char *inner, const char *mark, int indent);

static char *params_text(struct job *job, uint32_t id)
{
	const struct type *t = &job->btf->types[id];
	char *text = "";
	uint32_t i;

	for (i = 0; i < t->vlen; i++) {
		struct param p = btf_param(job->btf, id, i);

		text = xasprintf("%s%s%s", text, i ? ", " : "", !p.type ? "..." :
				 declare(job, p.type, "", NULL, 0));
	}
	return t->vlen ? text : "void";
}

static const char *qualifier(enum btf_kind kind)
{
	switch (kind) {
	case K_CONST:
		return "const";
	case K_VOLATILE:
		return "volatile";
	case K_RESTRICT:
		return "__restrict";
	default:
		return NULL;
	}
}

static char *subscript(struct job *job, uint32_t id, const char *inner)
{
	uint32_t nelems = btf_array(job->btf, id).nelems;

	return nelems ? xasprintf("%s[%u]", inner, nelems) : xasprintf("%s[]", inner);
}

/* Qualifiers of an array are those of its elements. */
static char *qualify(struct job *job, uint32_t id, char *inner, const char *mark, int indent)
{
	const struct type *t = &job->btf->types[id];
	const char *words = "", *word;

	for (;; t = &job->btf->types[id]) {
		word = qualifier(t->kind);
		if (word && !strstr(words, word))
			words = xasprintf("%s%s%s", words, *words ? " " : "", word);
		if (t->kind == K_ARRAY) {
			inner = subscript(job, id, inner);
			id = btf_array(job->btf, id).elem;
		} else if (word || t->kind == K_TYPE_TAG) {
			id = t->size;
		} else {
			break;
		}
	}
	if (t->kind == K_PTR)
		return declare(job, id, join(words, inner), mark, indent);
	return xasprintf("%s %s", words, declare(job, id, inner, mark, indent));
}

static char *declare_ptr(struct job *job, uint32_t id, char *inner, const char *mark,
			 int indent)
{
	uint32_t to = job->btf->types[id].size;
	enum btf_kind kind = job->btf->types[btf_strip(job->btf, to)].kind;

	inner = xasprintf("%s%s*%s", mark ? mark : "", mark ? " " : "", inner);
	if (kind == K_ARRAY || kind == K_FUNC_PROTO)
		inner = xasprintf("(%s)", inner);
	return declare(job, to, inner, NULL, indent);
}

static char *declare(struct job *job, uint32_t id, char *inner, const char *mark, int indent)
{
	const struct type *t = &job->btf->types[id];

	switch (t->kind) {
	case K_PTR:
		return declare_ptr(job, id, inner, mark, indent);
	case K_CONST:
	case K_VOLATILE:
	case K_RESTRICT:
		return qualify(job, id, inner, mark, indent);
	case K_TYPE_TAG:
		return declare(job, t->size, inner, mark, indent);
	case K_ARRAY:
		return declare(job, btf_array(job->btf, id).elem, subscript(job, id, inner),
			       mark, indent);
	case K_FUNC_PROTO:
		inner = xasprintf("%s(%s)", inner, params_text(job, id));
		return declare(job, t->size, inner, NULL, indent);
	case K_STRUCT:
	case K_UNION:
		if (!*t->name)
			return join(xasprintf("%s %s", tag_word(t), body(job, id, indent)),
				    inner);
		fallthrough;
	case K_FWD:
		return join(xasprintf("%s %s", tag_word(t), t->name), inner);
	case K_ENUM:
	case K_ENUM64:
		return join(enum_text(job, id, indent), inner);
	default:
		return join(t->name, inner);
	}
}

static const char *mark_of(const struct job *job, const char *type, const char *member)
{
	size_t i;

	for (i = 0; i < job->list->nr; i++) {
		const struct item *item = &job->list->items[i];

		if (item->kind == I_MARK && !strcmp(item->name, type) &&
		    !strcmp(item->member, member))
			return item->text;
	}
	return NULL;
}

static uint32_t round_up(uint32_t v, uint32_t to)
{
	return (v + to - 1) / to * to;
}

/* Where the compiler would put the member, in bits. */
static uint32_t natural_offset(const struct btf *btf, struct member m, uint32_t at)
{
	uint32_t unit = btf_size(btf, m.type) * 8;

	if (!m.bits)
		return round_up(at, btf_align(btf, m.type) * 8);
	if (unit && at / unit != (at + m.bits - 1) / unit)
		return round_up(at, unit);
	return at;
}

static bool is_packed(const struct btf *btf, uint32_t id)
{
	const struct type *t = &btf->types[id];
	uint32_t i;

	if (t->size % btf_align(btf, id))
		return true;
	for (i = 0; i < t->vlen; i++) {
		struct member m = btf_member(btf, id, i);

		if (!m.bits && m.bit_off % (btf_align(btf, m.type) * 8))
			return true;
	}
	return false;
}

/* Alignment that moves a member from where it would be to where it is. */
static uint32_t added_align(uint32_t at, uint32_t natural, uint32_t want)
{
	uint32_t align;

	if (natural >= want)
		return 0;
	for (align = 8; align <= 4096 * 8; align *= 2)
		if (round_up(at, align) == want)
			return align / 8;
	return 0;
}

static char *member_text(struct job *job, uint32_t id, struct member m, uint32_t at,
			 bool packed, int indent)
{
	const struct type *t = &job->btf->types[id];
	const char *mark = *m.name ? mark_of(job, t->name, m.name) : NULL;
	char *text = declare(job, m.type, xasprintf("%s", m.name), mark, indent);
	uint32_t natural = packed ? at : natural_offset(job->btf, m, at);
	uint32_t align = m.bits ? 0 : added_align(at, natural, m.bit_off);

	if (m.bits)
		text = xasprintf("%s:%u", text, m.bits);
	if (align)
		text = xasprintf("%s __attribute__((aligned(%u)))", text, align);
	if (m.bit_off > natural && !align && t->kind == K_STRUCT)
		text = xasprintf("%s :%u;\n%.*s%s",
				 m.bits ? declare(job, m.type, "", NULL, 0) : "char",
				 m.bit_off - at, indent, TABS, text);
	return text;
}

static char *body(struct job *job, uint32_t id, int indent)
{
	const struct type *t = &job->btf->types[id];
	bool packed = is_packed(job->btf, id);
	uint32_t at = 0, align;
	char *text = "{\n";
	uint32_t i;

	for (i = 0; i < t->vlen; i++) {
		struct member m = btf_member(job->btf, id, i);

		text = xasprintf("%s%.*s%s;\n", text, indent + 1, TABS,
				 member_text(job, id, m, at, packed, indent + 1));
		if (t->kind == K_UNION)
			continue;
		at = m.bit_off + (m.bits ? m.bits : btf_size(job->btf, m.type) * 8);
	}
	text = xasprintf("%s%.*s}", text, indent, TABS);
	if (packed)
		return xasprintf("%s __attribute__((packed))", text);
	if (t->kind == K_UNION)
		return text;
	align = added_align(at, round_up(at, btf_align(job->btf, id) * 8), t->size * 8);
	return align ? xasprintf("%s __attribute__((aligned(%u)))", text, align) : text;
}

/* Written in full, not just begun. */
static bool is_written(const struct job *job, const char *name)
{
	const char *state = set_value(&job->emitted, name);

	return state && !strcmp(state, "done");
}

static void forward(struct job *job, const struct type *t)
{
	const char *name = xasprintf("%s %s", tag_word(t), t->name);
	enum btf_kind kind = t->kind;

	if (kind == K_FWD)
		kind = t->kind_flag ? K_UNION : K_STRUCT;
	if (known_tag(job->known, kind, t->name) || set_has(&job->forward, name) ||
	    is_written(job, name))
		return;
	set_put(&job->forward, name, NULL);
	fprintf(job->out, "%s;\n", name);
}

static void need_members(struct job *job, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < job->btf->types[id].vlen; i++)
		need(job, btf_member(job->btf, id, i).type, true);
}

static void need_aggregate(struct job *job, uint32_t id, bool complete)
{
	const struct type *t = &job->btf->types[id];
	const char *name;

	if (!*t->name) {
		need_members(job, id);
		return;
	}
	if (!complete) {
		forward(job, t);
		return;
	}
	name = xasprintf("%s %s", tag_word(t), t->name);
	if (known_tag(job->known, t->kind, t->name) || set_has(&job->emitted, name))
		return;
	set_put(&job->emitted, name, "begun");
	need_members(job, id);
	fprintf(job->out, "\n%s %s;\n", name, body(job, id, 0));
	set_put(&job->emitted, name, "done");
}

static void need_enum(struct job *job, uint32_t id)
{
	const struct type *t = &job->btf->types[id];
	const char *name = xasprintf("enum %s", t->name);

	if (!*t->name || known_tag(job->known, K_ENUM, t->name) ||
	    set_has(&job->emitted, name))
		return;
	if (!enumerators_free(job, id))
		die("enum %s is missing from the public headers, but they define its constants.",
		    t->name);
	set_put(&job->emitted, name, "done");
	fprintf(job->out, "\n%s %s;\n", name, enum_body(job, id, 0));
}

static void need_typedef(struct job *job, uint32_t id, bool complete)
{
	const struct type *t = &job->btf->types[id];
	bool public = known_tag(job->known, K_TYPEDEF, t->name);
	const char *name = t->name;

	if (complete && btf_is_aggregate(job->btf, btf_resolve(job->btf, id)) && !public)
		need(job, t->size, true);
	if (public || set_has(&job->emitted, name))
		return;
	set_put(&job->emitted, name, "done");
	need(job, t->size, false);
	fprintf(job->out, "typedef %s;\n",
		declare(job, t->size, xasprintf("%s", name), NULL, 0));
}

static void need_params(struct job *job, uint32_t id)
{
	uint32_t i;

	need(job, job->btf->types[id].size, false);
	for (i = 0; i < job->btf->types[id].vlen; i++)
		need(job, btf_param(job->btf, id, i).type, false);
}

/* Writes what a use of the type requires; complete: its size must be known. */
static void need(struct job *job, uint32_t id, bool complete)
{
	const struct type *t = &job->btf->types[id];

	switch (t->kind) {
	case K_CONST:
	case K_VOLATILE:
	case K_RESTRICT:
	case K_TYPE_TAG:
		need(job, t->size, complete);
		break;
	case K_PTR:
		need(job, t->size, false);
		break;
	case K_ARRAY:
		need(job, btf_array(job->btf, id).elem, true);
		break;
	case K_FUNC_PROTO:
		need_params(job, id);
		break;
	case K_TYPEDEF:
		need_typedef(job, id, complete);
		break;
	case K_STRUCT:
	case K_UNION:
		need_aggregate(job, id, complete);
		break;
	case K_FWD:
		forward(job, t);
		break;
	case K_ENUM:
	case K_ENUM64:
		need_enum(job, id);
		break;
	default:
		break;
	}
}

void emit_types(struct job *job)
{
	const struct item *item;
	size_t i;

	fprintf(job->out, "\n/* Types that the public headers lack */\n\n");
	for (i = 0; i < job->list->nr; i++) {
		uint32_t id;

		item = &job->list->items[i];
		id = item_type(job, item);
		if (id)
			need(job, id, true);
	}
}

static void emit_func(struct job *job, const struct item *item)
{
	bool callable;
	uint32_t func = item_func(job, item, &callable);
	uint32_t proto;

	if (!callable || set_has(&job->known->decls, item->name))
		return;
	if (!func)
		die("%s:%u: the prototype of %s is not in %s: is that of another kernel?",
		    job->list->path, item->line, item->name, job->btf->path);
	proto = btf_proto(job->btf, func);
	need(job, proto, false);
	fprintf(job->out, "extern %s;\n",
		declare(job, proto, xasprintf("%s", item->name), NULL, 0));
}

static void emit_var(struct job *job, const struct item *item)
{
	if (set_has(job->exported, item->name)) {
		if (!set_has(&job->known->decls, item->name))
			fprintf(job->out, "extern %s %s;\n", item->type, item->name);
	} else if (!item->optional) {
		die("%s:%u: this kernel does not export %s.", job->list->path,
		    item->line, item->name);
	}
}

void emit_functions(struct job *job)
{
	size_t i;

	fprintf(job->out, "\n/* Exported symbols that the public headers do not declare */\n\n");
	for (i = 0; i < job->list->nr; i++) {
		if (job->list->items[i].kind == I_FUNC)
			emit_func(job, &job->list->items[i]);
		else if (job->list->items[i].kind == I_VAR)
			emit_var(job, &job->list->items[i]);
	}
}
