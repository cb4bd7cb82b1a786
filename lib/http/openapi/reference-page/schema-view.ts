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

/** What a view knows of the document. */
export interface SchemaSource {
  readonly resolve: Resolve;
  /** Whether a name is that of a shape of the service. It is unfolded where it stands; a type of FHIR is not. */
  readonly isShape: (name: string) => boolean;
}

/** The name of a shape or the kind of value, then the members. */
export function renderSchema(schema: unknown, source: SchemaSource): Markup {
  const shapes = shapesIn(schema, source);
  const type = typeText(schema, source.resolve);
  const about = type === 'object' && shapes.length > 0 ? undefined : html`<p class="note">${type}</p>`;
  return html`${about}${renderShapes(shapes.length === 1 ? shapes : ownShapes(shapes, source), source, 0)}`;
}

/** An object that a value may be, with its name when it is a reference. */
interface Shape {
  readonly name: string | undefined;
  readonly schema: Schema;
}

/** The objects of a value: itself, those of a list, or each that it may be. */
function shapesIn(given: unknown, source: SchemaSource): readonly Shape[] {
  const schema = source.resolve<Schema>(given);
  if (schema.properties !== undefined) return [{ name: parseRef(given)?.[1], schema }];
  if (schema.items !== undefined) return shapesIn(schema.items, source);
  return (schema.anyOf ?? []).flatMap((each) => shapesIn(each, source));
}

/** Those that are the service's own, and not of FHIR. */
function ownShapes(shapes: readonly Shape[], { isShape }: SchemaSource): readonly Shape[] {
  return shapes.filter(({ name }) => name === undefined || isShape(name));
}

function renderShapes(shapes: readonly Shape[], source: SchemaSource, depth: number): Markup | undefined {
  const [only] = shapes;
  if (only === undefined) return undefined;
  if (shapes.length === 1) return html`<ul>${membersOf(only, source, depth)}</ul>`;
  return html`<ul>${shapes.map((each) => html`<li><span class="note">${each.name ?? 'object'}</span><ul>${membersOf(each, source, depth)}</ul></li>`)}</ul>`;
}

function membersOf({ schema }: Shape, source: SchemaSource, depth: number): readonly Markup[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, member]) => {
    const { description } = source.resolve<Schema>(member);
    const about = description === undefined ? undefined : html` ${plainText(description)}`;
    const need = required.includes(name) ? ', required' : '';
    const unfolded = depth < MAX_DEPTH ? ownShapes(shapesIn(member, source), source) : [];
    return html`<li><code>${name}</code> <span class="note">${typeText(member, source.resolve)}${need}</span>${about}${renderShapes(unfolded, source, depth + 1)}</li>`;
  });
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
