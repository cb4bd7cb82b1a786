// Checks the resources that a document or message must contain: those that the Composition names
// (hl7.org/fhir/R5/documents.html#content), and the data of a message
// (hl7.org/fhir/R5/messageheader-definitions.html#MessageHeader.focus).
import { addIssue, isJsonObject, type JsonObject, type ValidationContext } from './context.ts';
import { objectsIn } from './rules/predicates.ts';

/** Names of nested elements; the last is a Reference. */
type Path = readonly string[];

const OF_COMPOSITIONS: readonly Path[] = [
  ['subject'],
  ['encounter'],
  ['author'],
  ['attester', 'party'],
  ['custodian'],
  ['event', 'detail', 'reference'],
];
const OF_SECTIONS: readonly Path[] = [['author'], ['focus'], ['entry']];

interface Contents {
  readonly context: ValidationContext;
  /** Full URLs of the entries, and type and id of their resources. */
  readonly addresses: ReadonlySet<string>;
}

/**
 * Checks that the references of a document's Composition or a message's MessageHeader lead to entries of the same
 * bundle.
 */
export function checkContents(context: ValidationContext, bundle: JsonObject): void {
  const { type } = bundle;
  if (type !== 'document' && type !== 'message') return;
  const entries = objectsIn(bundle, 'entry');
  const first = entries[0]?.['resource'];
  if (!isJsonObject(first)) return;
  const contents = { context, addresses: addressesOf(entries) };
  context.path.push('entry', 0, 'resource');
  if (type === 'message' && first['resourceType'] === 'MessageHeader') checkPath(contents, first, ['focus']);
  if (type === 'document' && first['resourceType'] === 'Composition') {
    for (const path of OF_COMPOSITIONS) checkPath(contents, first, path);
    checkSections(contents, first);
  }
  context.path.length -= 3;
}

function checkSections(contents: Contents, holder: JsonObject): void {
  visit(contents.context, holder, 'section', (section) => {
    for (const path of OF_SECTIONS) checkPath(contents, section, path);
    checkSections(contents, section);
  });
}

function checkPath(contents: Contents, holder: JsonObject, [name = '', ...rest]: Path): void {
  visit(contents.context, holder, name, (value) => {
    if (rest.length > 0) checkPath(contents, value, rest);
    else checkReference(contents, value);
  });
}

function checkReference({ context, addresses }: Contents, { reference }: JsonObject): void {
  if (typeof reference !== 'string' || reference === '' || reference.startsWith('#')) return;
  if (addresses.has(reference) || addresses.has(reference.replace(/\/_history\/[^/]+$/, ''))) return;
  addIssue(context, 'not-found', 'must name an entry of the bundle: there is none of this address', 'reference');
}

/** Visits the object in a member, or each in its list, with its path. */
function visit(
  { path }: ValidationContext,
  holder: JsonObject,
  name: string,
  visitOne: (value: JsonObject) => void,
): void {
  const held = holder[name];
  for (const [index, value] of (Array.isArray(held) ? held : [held]).entries()) {
    if (!isJsonObject(value)) continue;
    const depth = path.length;
    path.push(name);
    if (Array.isArray(held)) path.push(index);
    visitOne(value);
    path.length = depth;
  }
}

function addressesOf(entries: readonly JsonObject[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { fullUrl, resource } of entries) {
    if (typeof fullUrl === 'string') found.add(fullUrl);
    if (isJsonObject(resource)) found.add(`${String(resource['resourceType'])}/${String(resource['id'])}`);
  }
  return found;
}
