// A JSON Schema as a nested list of members: name, type, and whether it is needed.
import { html, type Markup } from '../../../html/html.ts';
import { parseRef } from '../components.ts';
import type { Resolve } from './resolve.ts';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly items?: unknown;
  readonly anyOf?: readonly unknown[];
}

/** Members of members are shown to this depth; types of FHIR contain themselves. */
const MAX_DEPTH = 3;

export function renderSchema(schema: unknown, resolve: Resolve, depth = 0): Markup {
  const resolved = resolve<Schema>(schema);
  const { properties } = membersOf(resolved, resolve);
  if (properties === undefined) return html`<p class="note">${typeText(schema, resolve)}</p>`;
  return html`<ul>${Object.entries(properties).map(([name, member]) => renderMember(name, member, { resolve, depth, required: isRequired(resolved, name, resolve) }))}</ul>`;
}

/** The object itself, or that of a list's items. */
function membersOf(schema: Schema, resolve: Resolve): Schema {
  return schema.properties === undefined && schema.items !== undefined ? resolve<Schema>(schema.items) : schema;
}

function isRequired(schema: Schema, name: string, resolve: Resolve): boolean {
  return membersOf(schema, resolve).required?.includes(name) === true;
}

interface MemberContext {
  readonly resolve: Resolve;
  readonly depth: number;
  readonly required: boolean;
}

function renderMember(name: string, member: unknown, { resolve, depth, required }: MemberContext): Markup {
  const schema = resolve<Schema>(member);
  const about = schema.description === undefined ? undefined : html` ${plainText(schema.description)}`;
  const hasMembers = membersOf(schema, resolve).properties !== undefined;
  // A reference to a shared type is named, not unfolded again at every place.
  const isUnfolded =
    hasMembers && depth < MAX_DEPTH && parseRef(member) === undefined && parseRef(schema.items) === undefined;
  return html`<li><code>${name}</code> <span class="note">${typeText(member, resolve)}${required ? ', required' : ''}</span>${about}${isUnfolded ? renderSchema(schema, resolve, depth + 1) : undefined}</li>`;
}

/** The type with its limits in words: `integer, 1 to 200, 20 when left out`. */
export function typeText(given: unknown, resolve: Resolve): string {
  const [, name] = parseRef(given) ?? [];
  const schema = resolve<Schema>(given);
  if (name !== undefined && schema.properties !== undefined) return name;
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((each) => typeText(each, resolve)))].join(' or ');
  if (schema.items !== undefined) return `list of ${typeText(schema.items, resolve)}`;
  const { minimum, maximum, minLength, maxLength } = schema;
  const kind = [schema.type ?? (schema.const === undefined ? 'anything' : undefined)].flat().join(' or ');
  return [
    ...(schema.enum !== undefined
      ? [schema.enum.map(String).join(' | ')]
      : [schema.const === undefined ? kind : String(schema.const)]),
    ...(schema.format === undefined ? [] : [schema.format]),
    ...rangeText(minimum, maximum, ''),
    ...rangeText(minLength, maxLength, ' characters'),
    ...(schema.default === undefined ? [] : [`${JSON.stringify(schema.default)} when left out`]),
  ].join(', ');
}

/** Limits of JavaScript's numbers say nothing to a reader. */
function rangeText(least: number | undefined, most: number | undefined, unit: string): string[] {
  const top = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  if (least !== undefined && top !== undefined) return [`${least} to ${top}${unit}`];
  if (top !== undefined) return [`at most ${top}${unit}`];
  return least === undefined ? [] : [`at least ${least}${unit}`];
}

/** Summaries and descriptions are Markdown; of it they use code spans. */
export function plainText(text: string): string {
  return text.replaceAll('`', '');
}
