// References between the entries of a transaction. What is known only by its fullUrl, or by a condition, gets the
// address that it has on the server (hl7.org/fhir/R5/http.html#trules, bundle.html#references). Looked for in
// references, in elements that are URIs, and in the links of narratives and markdown; never in texts that merely look
// alike.
import { r5Definitions } from '#fhir/definitions/definitions.ts';
import type { ElementType, Shape, Slot } from '#fhir/definitions/shapes.ts';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { type ParsedReference, parseReference } from '#fhir/resources/references.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';

/**
 * Where a link is: FHIR has only references name their target by a condition, and canonicals name it by its own
 * `url`.
 */
export type LinkPlace = 'reference' | 'uri' | 'canonical';

/** The new text of a link; undefined when it stays as it is. */
export type Relink = (link: string, place: LinkPlace) => string | undefined;

/** What an entry's resource is called once it is on the server. */
export interface EntryAddress {
  /** `Patient/0190…`. */
  readonly address: string;
  /** The version that the entry makes, where that is known beforehand. */
  readonly version: number | undefined;
  /** Its `url`, or its absolute address. */
  readonly canonical: string;
}

const URI_TYPES: ReadonlySet<string> = new Set(['uri', 'url', 'oid', 'uuid']);
const NARRATIVE_LINK = /(<\w+\b[^<>]*?\s(?:href|src)\s*=\s*)("[^"]*"|'[^']*')/g;
const MARKDOWN_LINK = /(\]\(\s*<?|^ {0,3}\[[^\]\n]+\]:[ \t]*<?|<)([^\s<>()]+)/gm;
const VERSION_OR_FRAGMENT = /^([^#]*?)(\/_history\/[^/#]+)?(#.*)?$/;
const PLACEHOLDER_CANONICAL = /^(urn:(?:uuid|oid):[^|#]+)(\|[^#]*)?(#.*)?$/;

/**
 * The resource with its links put right; the very same one when none had to be. Most resources have no link to change,
 * and a parse that keeps the digits of numbers costs ten times a plain one. So the links are read in the parsed
 * resource first, so `relink` may be asked twice for each.
 */
export function relinked(source: ResourceText, relink: Relink): ResourceText {
  if (!visit(source.resource, { relink, isWriting: false })) return source;
  const resource = parseExactJson(source.text);
  if (!isJsonObject(resource)) return source;
  visit(resource, { relink, isWriting: true });
  return readResourceText(JSON.stringify(resource));
}

const PLACEHOLDER = /^urn:(?:uuid|oid):/;

/** Whether it names something that has no address yet. */
export function isPlaceholder(link: string): boolean {
  return PLACEHOLDER.test(link);
}

/**
 * A resource with its links put right, and the references that are left as placeholders; a bundle that is stored keeps
 * its own.
 */
export interface Relinked<Source> {
  readonly source: Source;
  readonly dangling: readonly string[];
}

/** As `relinked`, noting what is left. */
export function relinkedWith(source: ResourceText, relink: Relink): Relinked<ResourceText> {
  const dangling = new Set<string>();
  const changed = relinked(source, (link, place) => {
    const meant = relink(link, place);
    if (meant === undefined && place === 'reference' && isPlaceholder(link)) dangling.add(link);
    return meant;
  });
  return { source: changed, dangling: source.resourceType === 'Bundle' ? [] : [...dangling] };
}

/** A conditional reference, and how it is written. */
export type ConditionalReference = Extract<ParsedReference, { kind: 'conditional' }> & { readonly link: string };

/** Whether a text may hold one, decided without parsing it. In JSON every sign may be written by its number too. */
export function mayBeConditional(text: string): boolean {
  if (!text.includes('?') && !text.includes('\\u003')) return false;
  return text.includes('"reference"') || text.includes('\\u006') || text.includes('\\u007');
}

/** The conditional references of a resource: `Patient?identifier=…`, also with the server's own base in front. */
export function conditionalReferences(source: ResourceText, baseUrl: string): ConditionalReference[] {
  const found: ConditionalReference[] = [];
  relinked(source, (link, place) => {
    if (place !== 'reference' || !link.includes('?')) return undefined;
    const parsed = parseReference(link.startsWith(`${baseUrl}/`) ? link.slice(baseUrl.length + 1) : link);
    if (parsed?.kind === 'conditional') found.push({ ...parsed, link });
    return undefined;
  });
  return found;
}

/**
 * What links mean in an entry: `addresses` holds what each fullUrl is called on the server, and `conditional` what each
 * conditional reference means. A relative reference is seen from the entry's own fullUrl.
 */
export function relinkFor(
  fullUrl: string | undefined,
  addresses: ReadonlyMap<string, EntryAddress>,
  conditional: ReadonlyMap<string, string>,
): Relink {
  const base = /^(https?:\/\/.*\/)[A-Z][A-Za-z]+\/[^/]+$/.exec(fullUrl ?? '')?.[1];
  return (link, place) => {
    if (place === 'canonical') return canonicalOf(link, addresses);
    const meant = place === 'reference' ? conditional.get(link) : undefined;
    return meant ?? addressOf(link, addresses) ?? (base === undefined ? undefined : addressOf(base + link, addresses));
  };
}

/** A version of where the resource came from is none here: the one that the entry makes takes its place. */
function addressOf(link: string, addresses: ReadonlyMap<string, EntryAddress>): string | undefined {
  const whole = addresses.get(link);
  if (whole !== undefined) return whole.address;
  const [, url = '', version, fragment = ''] = VERSION_OR_FRAGMENT.exec(link) ?? [];
  const entry = url === link ? undefined : addresses.get(url);
  if (entry === undefined) return undefined;
  const made = version === undefined || entry.version === undefined ? '' : `/_history/${entry.version}`;
  return entry.address + made + fragment;
}

/** Canonicals stay, as FHIR has it, but for placeholders, which mean nothing outside of the bundle. */
function canonicalOf(link: string, addresses: ReadonlyMap<string, EntryAddress>): string | undefined {
  const [, placeholder = '', version = '', fragment = ''] = PLACEHOLDER_CANONICAL.exec(link) ?? [];
  const entry = addresses.get(placeholder);
  return entry && entry.canonical + version + fragment;
}

interface Visit {
  readonly relink: Relink;
  /** False to find out whether any link has another text, and change nothing. */
  readonly isWriting: boolean;
}

/** Whether any link has another text. */
function visit(resource: JsonObject, how: Visit): boolean {
  return visitObject(resource, r5Definitions().shape(String(resource['resourceType'])), how);
}

function visitObject(value: JsonObject, shape: Shape | undefined, how: Visit): boolean {
  let isChanged = false;
  for (const [name, held] of Object.entries(value)) {
    const slot = shape?.slots.get(name);
    if (slot === undefined || isOwnName(name, slot, shape)) continue;
    if (Array.isArray(held)) {
      held.forEach((item: unknown, index) => {
        const changed = visitValue(item, { slot, shape }, how);
        if (changed === undefined) return;
        if (how.isWriting) held[index] = changed;
        isChanged = true;
      });
      continue;
    }
    const changed = visitValue(held, { slot, shape }, how);
    if (changed === undefined) continue;
    if (how.isWriting) value[name] = changed;
    isChanged = true;
  }
  return isChanged;
}

/** The value as it is to be; undefined when it stays. */
function visitValue(value: unknown, { slot, shape }: { slot: Slot; shape: Shape | undefined }, how: Visit): unknown {
  if (typeof value === 'string') return textOf(value, { slot, shape }, how.relink);
  if (!isJsonObject(value)) return undefined;
  const isChanged = slot.type.code === 'Resource' ? visit(value, how) : visitObject(value, shapeOf(slot), how);
  return isChanged ? value : undefined;
}

function textOf(
  value: string,
  { slot, shape }: { slot: Slot; shape: Shape | undefined },
  relink: Relink,
): string | undefined {
  const { code } = slot.type;
  if (code === 'xhtml' || code === 'markdown') {
    const text = code === 'xhtml' ? narrativeOf(value, relink) : markdownOf(value, relink);
    return text === value ? undefined : text;
  }
  if (isReferenceText(slot.type, slot, shape)) return relink(value, 'reference');
  if (code === 'canonical') return relink(value, 'canonical');
  return URI_TYPES.has(code) ? relink(value, 'uri') : undefined;
}

function narrativeOf(text: string, relink: Relink): string {
  return text.replaceAll(NARRATIVE_LINK, (whole, before: string, quoted: string) => {
    const changed = relink(quoted.slice(1, -1).replaceAll('&amp;', '&'), 'uri');
    return changed === undefined ? whole : `${before}"${changed.replaceAll('&', '&amp;')}"`;
  });
}

function markdownOf(text: string, relink: Relink): string {
  return text.replaceAll(MARKDOWN_LINK, (whole, before: string, link: string) => {
    const changed = relink(link, 'uri');
    return changed === undefined ? whole : before + changed;
  });
}

/** The `url` by which a definition calls itself is no link to another. */
function isOwnName(name: string, { type }: Slot, shape: Shape | undefined): boolean {
  return name === 'url' && type.code === 'uri' && shape !== undefined && !shape.path.includes('.');
}

/** `Reference.reference` is a string by its type. */
function isReferenceText(type: ElementType, { element }: Slot, shape: Shape | undefined): boolean {
  return type.code === 'string' && element.name === 'reference' && shape?.path === 'Reference';
}

function shapeOf({ element, type }: Slot): Shape | undefined {
  return r5Definitions().shape(element.shapePath ?? type.code);
}
