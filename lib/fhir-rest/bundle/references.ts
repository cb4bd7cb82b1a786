// References between the entries of a transaction: what is known only by its fullUrl, or by a condition, gets the address that it has on
// the server (hl7.org/fhir/R5/http.html#trules, bundle.html#references). Looked for in references and in elements that are URIs, and
// in the links of narratives; never in texts that merely look alike.
import { r5Definitions } from '#lib/fhir/definitions/definitions.ts';
import type { ElementType, Shape, Slot } from '#lib/fhir/definitions/shapes.ts';
import { parseExactJson } from '#lib/fhir/exact-json.ts';
import { isJsonObject, type JsonObject } from '#lib/fhir/patch/json-tree.ts';
import { type ParsedReference, parseReference } from '#lib/fhir/references.ts';
import { type ResourceText, readResourceText } from '#lib/fhir/resource-text.ts';

/** The new text of a link; undefined when it stays as it is. */
export type Relink = (link: string) => string | undefined;

const URI_TYPES: ReadonlySet<string> = new Set(['uri', 'url', 'oid', 'uuid']);
const NARRATIVE_LINK = /(<(?:a|img)\b[^>]*?\b(?:href|src)=")([^"]*)(")/g;

/** The resource with its links put right; the very same one when none had to be. */
export function relinked(source: ResourceText, relink: Relink): ResourceText {
  const resource = parseExactJson(source.text);
  if (!isJsonObject(resource)) return source;
  return visit(resource, relink) ? readResourceText(JSON.stringify(resource)) : source;
}

export type ConditionalReference = Extract<ParsedReference, { kind: 'conditional' }>;

/** The conditional references of a resource: `Patient?identifier=…`. */
export function conditionalReferences(source: ResourceText): ConditionalReference[] {
  const found: ConditionalReference[] = [];
  relinked(source, (link) => {
    const parsed = link.includes('?') ? parseReference(link) : undefined;
    if (parsed?.kind === 'conditional') found.push(parsed);
    return undefined;
  });
  return found;
}

/**
 * What links mean in an entry: `addresses` holds the server's address of each fullUrl, and `conditional` of each conditional reference.
 * A relative reference is seen from the entry's own fullUrl.
 */
export function relinkFor(
  fullUrl: string | undefined,
  addresses: ReadonlyMap<string, string>,
  conditional: ReadonlyMap<string, string>,
): Relink {
  const base = /^(https?:\/\/.*\/)[A-Z][A-Za-z]+\/[^/]+$/.exec(fullUrl ?? '')?.[1];
  return (link) => {
    return (
      addresses.get(link) ?? conditional.get(link) ?? (base === undefined ? undefined : addresses.get(base + link))
    );
  };
}

/** Whether anything was changed. */
function visit(resource: JsonObject, relink: Relink): boolean {
  return visitObject(resource, r5Definitions().shape(String(resource['resourceType'])), relink);
}

function visitObject(value: JsonObject, shape: Shape | undefined, relink: Relink): boolean {
  let isChanged = false;
  for (const [name, held] of Object.entries(value)) {
    const slot = shape?.slots.get(name);
    if (slot === undefined) continue;
    if (Array.isArray(held)) {
      held.forEach((item: unknown, index) => {
        const changed = visitValue(item, { slot, shape }, relink);
        if (changed === undefined) return;
        held[index] = changed;
        isChanged = true;
      });
      continue;
    }
    const changed = visitValue(held, { slot, shape }, relink);
    if (changed === undefined) continue;
    value[name] = changed;
    isChanged = true;
  }
  return isChanged;
}

/** The value as it is to be; undefined when it stays. */
function visitValue(
  value: unknown,
  { slot, shape }: { slot: Slot; shape: Shape | undefined },
  relink: Relink,
): unknown {
  if (typeof value === 'string') return textOf(value, { slot, shape }, relink);
  if (!isJsonObject(value)) return undefined;
  const isChanged = slot.type.code === 'Resource' ? visit(value, relink) : visitObject(value, shapeOf(slot), relink);
  return isChanged ? value : undefined;
}

function textOf(
  value: string,
  { slot, shape }: { slot: Slot; shape: Shape | undefined },
  relink: Relink,
): string | undefined {
  if (slot.type.code === 'xhtml') {
    const text = value.replaceAll(NARRATIVE_LINK, (whole, before: string, link: string, after: string) => {
      const changed = relink(link);
      return changed === undefined ? whole : before + changed + after;
    });
    return text === value ? undefined : text;
  }
  const isLink = URI_TYPES.has(slot.type.code) || isReferenceText(slot.type, slot, shape);
  return isLink ? relink(value) : undefined;
}

/** `Reference.reference` is a string by its type. */
function isReferenceText(type: ElementType, { element }: Slot, shape: Shape | undefined): boolean {
  return type.code === 'string' && element.name === 'reference' && shape?.path === 'Reference';
}

function shapeOf({ element, type }: Slot): Shape | undefined {
  return r5Definitions().shape(element.shapePath ?? type.code);
}
