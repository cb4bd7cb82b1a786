// A resource as the client's JSON text. It is parsed once and checked for duplicate members; its id and meta are
// spliced in, and everything else stays as written (hl7.org/fhir/R5/json.html, docs/adr/0003).

import { isObject } from '#fhir/json/objects.ts';
import { type Issue, invalidRequest, type ServiceError } from '#lib/errors.ts';
import { duplicateMembers, excessOf, jsonIssueIndex } from '#lib/json/json-syntax.ts';
import { type MemberSpan, noTotals, scanListed, scanMembers, type ValueSpan } from '../json/json-scanner.ts';
import { noteNumbers } from '../json/written-numbers.ts';
import { MAX_ISSUES } from '../validation/issue-list.ts';

const MAX_DEPTH = 256;
/**
 * The most members and items of a body, as each takes memory. A bundle of 50 MiB has fewer, unless its values are
 * unusually short.
 */
const MAX_VALUES = 4_000_000;
/** UTF-16 units. */
const LONG = 4_096;
/** UTF-16 units of a path that a message repeats. */
const MAX_FIELD = 2_000;

/** A resource's text with its parsed value and the spans of its top-level members. */
export interface ResourceText {
  readonly text: string;
  readonly resourceType: string;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly members: readonly MemberSpan[];
  /** The span of each entry's resource in a Bundle; undefined for an entry without a resource. */
  readonly entries?: readonly (ValueSpan | undefined)[];
  /** Set on a report that the service has completed for a patient: no other text may carry its tag. */
  readonly isOwnReport?: true;
}

/** What the server sets on each version: ids as FHIR ids, `lastUpdated` as an instant. */
export interface VersionMeta {
  readonly id: string;
  readonly versionId: string;
  readonly lastUpdated: string;
}

/**
 * Reads the text of one resource: a JSON object with a `resourceType`, no duplicate member at any depth, at most 256
 * levels of nesting. Nothing else of FHIR is checked here.
 * @throws ServiceError `invalid_request`, naming line and column, or the duplicate members
 */
export function readResourceText(text: string): ResourceText {
  requireReadable(text);
  const resource = parseJson(text);
  if (!isObject(resource)) {
    throw unreadable({ message: 'The body must be a JSON object: one FHIR resource', code: 'structure' });
  }
  const totals = noTotals();
  const isBundle = resource['resourceType'] === 'Bundle';
  const { members, listed } = isBundle
    ? scanListed(text, { name: 'entry', key: 'resource' }, totals)
    : { members: scanMembers(text, 0, totals), listed: undefined };
  if (totals.depth > MAX_DEPTH) throw tooDeep();
  if (totals.members !== countMembers(resource)) throw unreadable(...duplicateIssues(text));
  if (totals.lossyNumbers.length > 0) noteNumbers(resource, totals.lossyNumbers);
  const read = { text, resourceType: typeOf(resource), resource, members };
  return listed === undefined ? read : { ...read, entries: listed };
}

/**
 * Parses a JSON object that was checked before, or created here, and notes how its numbers are written, which
 * validation checks.
 * @throws SyntaxError when the text is not JSON, TypeError when it is not an object
 */
export function parseWritten(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw new TypeError('A resource is a JSON object');
  const totals = noTotals();
  scanMembers(text, 0, totals);
  if (totals.lossyNumbers.length > 0) noteNumbers(value, totals.lossyNumbers);
  return value;
}

/**
 * Refuses too deep or too large JSON before it is parsed. A long text of brackets would take seconds to fail, and one
 * of empty lists more memory than there is.
 */
function requireReadable(text: string): void {
  const excess = text.length > LONG ? excessOf(text, { levels: MAX_DEPTH + 1, values: MAX_VALUES }) : undefined;
  if (excess === 'levels') throw tooDeep();
  if (excess === 'values')
    throw unreadable({ message: `The body holds more than ${MAX_VALUES} values`, code: 'too-costly' });
}

function tooDeep(): ServiceError {
  return unreadable({ message: `The body nests deeper than ${MAX_DEPTH} levels`, code: 'too-costly' });
}

function typeOf({ resourceType }: Readonly<Record<string, unknown>>): string {
  if (typeof resourceType === 'string') return resourceType;
  const message = 'resourceType is missing: it must name the type of the resource';
  throw unreadable({ message, field: 'resourceType', code: 'required' });
}

/**
 * The text to store and return:
 * `{"resourceType":…,"id":…,"meta":{"versionId":…,"lastUpdated":…, the client's other meta members}` followed by the
 * client's members, byte for byte and in their order.
 * @throws ServiceError `invalid_request` as `readResourceText` does, or when `meta` is no object
 */
export function spliceMeta(source: string | ResourceText, version: VersionMeta): string {
  const { text, members, resourceType } = typeof source === 'string' ? readResourceText(source) : source;
  const meta = members.find((member) => member.key === 'meta');
  const kept = meta === undefined ? '' : keptMeta(text, meta);
  const rest = joinKept(text, members, (key) => key !== 'resourceType' && key !== 'id' && key !== 'meta');
  const head = `{"resourceType":${JSON.stringify(resourceType)},"id":${JSON.stringify(version.id)}`;
  const stamp = `"versionId":${JSON.stringify(version.versionId)},"lastUpdated":${JSON.stringify(version.lastUpdated)}`;
  return `${head},"meta":{${stamp}${kept}}${rest}}`;
}

/** The value of `entry.resource` in a bundle: a span of the bundle's text. */
export interface EntryResource {
  readonly value: unknown;
  readonly span: ValueSpan;
}

/** The `entry.resource` of each entry of a bundle, in order; undefined for an entry without one. */
export function entryResources(bundle: ResourceText): (EntryResource | undefined)[] {
  const values = bundle.resource['entry'];
  if (bundle.entries === undefined || !Array.isArray(values)) return [];
  return bundle.entries.map((span, index) => {
    const each: unknown = values[index];
    return span === undefined || !isObject(each) ? undefined : { value: each['resource'], span };
  });
}

/**
 * Reads the resource of a bundle's entry. The bundle's text was already checked for duplicate members, so nothing is
 * parsed again.
 * @throws ServiceError `invalid_request` when it is not an object or has no `resourceType`
 */
export function readEntryResource(bundle: ResourceText, { value, span }: EntryResource): ResourceText {
  const { start, end, members } = span;
  if (!isObject(value) || members === undefined) {
    throw unreadable({ message: 'resource must be a JSON object', code: 'structure' });
  }
  const moved = members.map((member) => ({
    key: member.key,
    start: member.start - start,
    valueStart: member.valueStart - start,
    end: member.end - start,
  }));
  return { text: bundle.text.slice(start, end), resourceType: typeOf(value), resource: value, members: moved };
}

function keptMeta(text: string, meta: MemberSpan): string {
  if (text[meta.valueStart] !== '{') {
    throw unreadable({ message: 'meta must be a JSON object', field: 'meta', code: 'structure' });
  }
  const members = scanMembers(text, meta.valueStart);
  return joinKept(text, members, (key) => key !== 'versionId' && key !== 'lastUpdated');
}

/** The remaining members as written: each run of neighbours is one slice, and a comma precedes every run. */
function joinKept(text: string, members: readonly MemberSpan[], isKept: (key: string) => boolean): string {
  let joined = '';
  let run: { start: number; end: number } | undefined;
  for (const member of members) {
    if (isKept(member.key)) run = { start: run?.start ?? member.start, end: member.end };
    else if (run !== undefined) {
      joined += `,${text.slice(run.start, run.end)}`;
      run = undefined;
    }
  }
  return run === undefined ? joined : `${joined},${text.slice(run.start, run.end)}`;
}

/** JSON.parse with a readable error. @throws ServiceError `invalid_request` naming line and column */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable({ message: `The body is not valid JSON: ${placeOfIssue(text)}`, code: 'structure' });
  }
}

function placeOfIssue(text: string): string {
  const index = jsonIssueIndex(text);
  if (index >= text.length) return text.trim() === '' ? 'it is empty' : 'it ends too early';
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < index; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return `unexpected character at line ${line}, column ${index - start + 1}`;
}

function countMembers(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) count += countMembers(item);
    return count;
  }
  // `for in` builds no list of the members, and parsed JSON has no inherited ones.
  for (const key in value) {
    count += 1;
    const item: unknown = Reflect.get(value, key);
    if (typeof item === 'object' && item !== null) count += countMembers(item);
  }
  return count;
}

/** The first duplicate members; called only when there is at least one. */
function duplicateIssues(text: string): Issue[] {
  return duplicateMembers(text, MAX_ISSUES).map((path) => {
    const field = path.length <= MAX_FIELD ? path : `${path.slice(0, MAX_FIELD).toWellFormed()}…`;
    return { message: `${field} is given more than once`, field, code: 'structure' };
  });
}

function unreadable(...issues: Issue[]): ServiceError {
  return invalidRequest(issues);
}
