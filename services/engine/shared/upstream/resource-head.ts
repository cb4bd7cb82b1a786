// What we ask of a resource that is passed on byte for byte: a few short facts, read here or in a thread
// (docs/adr/0042), so that the text of a long one never lies on the main thread. Pure.
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';

/** Bytes of a body, the second not included. */
type Place = readonly [start: number, end: number];

export interface ResourceHead {
  readonly resourceType: string;
  /** Undefined for what is no text of at most 64 characters; so are the others. */
  readonly id: string | undefined;
  readonly versionId: string | undefined;
  /** The type of what $validate would judge: of the resource in Parameters, else of this one. */
  readonly judgedType: string;
  readonly links: LinksOf | undefined;
  readonly capabilities: Capabilities | undefined;
  /** Hexadecimal; undefined when it was not asked for. */
  readonly hash: string | undefined;
}

/** The member `link` of a Bundle. */
export interface LinksOf {
  readonly value: Place;
  /** What goes when the Bundle has none: the member with one of the commas beside it. */
  readonly whole: Place;
  readonly links: readonly { readonly relation: string; readonly url: string }[];
}

interface Capabilities {
  readonly fhirVersion: string | null;
  readonly software: string | null;
  readonly resourceTypes: number;
}

/** What a thread is asked for; it gives a {@link ResourceHead}. */
export interface HeadWork {
  readonly kind: 'head';
  readonly body: Uint8Array;
  readonly isHashed: boolean;
}

export type HashOf = (text: string) => Buffer;

const MAX_WORD = 64;
const MAX_TEXT = 200;
const MAX_LINKS = 100;
/** UTF-16 units of an address: none that is longer can be asked for. */
export const MAX_URL = 8 * 1024;

/** @throws ServiceError `invalid_request` as `readResourceText` */
export function headOf(body: Uint8Array, hash?: HashOf): ResourceHead {
  const source = readResourceText(decodeUtf8(body));
  const { resourceType, resource, text } = source;
  return {
    resourceType: resourceType.slice(0, MAX_WORD),
    id: textOf(resource['id'], MAX_WORD),
    versionId: textOf(objectOf(resource['meta'])['versionId'], MAX_WORD),
    judgedType: judgedType(source).slice(0, MAX_WORD),
    links: resourceType === 'Bundle' ? linksOf(source, body) : undefined,
    capabilities: resourceType === 'CapabilityStatement' ? capabilitiesOf(resource) : undefined,
    hash: hash?.(text).toString('hex'),
  };
}

/** The type of the resource, which may lie in Parameters as the operation has it. */
function judgedType({ resourceType, resource }: ResourceText): string {
  if (resourceType !== 'Parameters') return resourceType;
  const inner = listOf(resource['parameter'])
    .map(objectOf)
    .find(({ name }) => name === 'resource');
  return textOf(objectOf(inner?.['resource'])['resourceType'], MAX_WORD) ?? resourceType;
}

function linksOf({ text, members, resource }: ResourceText, body: Uint8Array): LinksOf | undefined {
  const member = members.find(({ key }) => key === 'link');
  if (member === undefined) return undefined;
  // A byte order mark is not in the text.
  const mark = body.length - Buffer.byteLength(text);
  const placeOf = (start: number, end: number): Place => {
    const first = mark + Buffer.byteLength(text.slice(0, start));
    return [first, first + Buffer.byteLength(text.slice(start, end))];
  };
  const links = listOf(resource['link'])
    .slice(0, MAX_LINKS)
    .flatMap((each) => {
      const { relation, url } = objectOf(each);
      const [kind, address] = [textOf(relation, MAX_WORD), textOf(url, MAX_URL)];
      return kind === undefined || address === undefined ? [] : [{ relation: kind, url: address }];
    });
  return {
    value: placeOf(member.valueStart, member.end),
    whole: placeOf(...withComma(text, member)),
    links,
  };
}

function withComma(text: string, { start, end }: { readonly start: number; readonly end: number }): [number, number] {
  const before = text.slice(0, start).trimEnd().length;
  if (text[before - 1] === ',') return [before - 1, end];
  const after = text.length - text.slice(end).trimStart().length;
  return [start, text[after] === ',' ? after + 1 : end];
}

function capabilitiesOf(resource: Readonly<Record<string, unknown>>): Capabilities {
  const rest = listOf(resource['rest']).map(objectOf);
  return {
    fhirVersion: beginningOf(resource['fhirVersion']),
    software: beginningOf(objectOf(resource['software'])['name']),
    resourceTypes: rest.reduce((count, part) => count + listOf(part['resource']).length, 0),
  };
}

function beginningOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : null;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

function textOf(value: unknown, longest: number): string | undefined {
  return typeof value === 'string' && value.length <= longest ? value : undefined;
}
