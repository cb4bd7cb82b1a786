// Reads a few short facts of a resource that is forwarded byte for byte. A long one is read in a thread
// (docs/adr/0042), so that its text is never on the main thread. Pure.
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { type ResourceText, readResourceText } from '#fhir/resources/resource-text.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';

/** A range of bytes in a body, without the end. */
type Place = readonly [start: number, end: number];

export interface ResourceHead {
  readonly resourceType: string;
  /** Undefined unless it is a text of at most 64 characters, as for the other texts. */
  readonly id: string | undefined;
  readonly versionId: string | undefined;
  /** The type that $validate checks: that of the resource in Parameters, else of this one. */
  readonly validatedType: string;
  readonly links: LinksOf | undefined;
  readonly capabilities: Capabilities | undefined;
  /** Hexadecimal; undefined when it was not requested. */
  readonly hash: string | undefined;
}

/** The member `link` of a Bundle. */
export interface LinksOf {
  readonly value: Place;
  /** The range to remove for a Bundle without links: the member with one of the commas beside it. */
  readonly whole: Place;
  readonly links: readonly { readonly relation: string; readonly url: string }[];
}

interface Capabilities {
  readonly fhirVersion: string | null;
  readonly software: string | null;
  readonly resourceTypes: number;
}

/** A task for a worker thread, which returns a {@link ResourceHead}. */
export interface HeadWork {
  readonly kind: 'head';
  readonly body: Uint8Array;
  readonly isHashed: boolean;
}

export type HashOf = (text: string) => Buffer;

const MAX_WORD = 64;
const MAX_TEXT = 200;
const MAX_LINKS = 100;
/** The longest URL that can be requested, in UTF-16 code units. */
export const MAX_URL = 8 * 1024;

/** @throws ServiceError `invalid_request` as `readResourceText` */
export function headOf(body: Uint8Array, hash?: HashOf): ResourceHead {
  const source = readResourceText(decodeUtf8(body));
  const { resourceType, resource, text } = source;
  return {
    resourceType: resourceType.slice(0, MAX_WORD),
    id: textOf(resource['id'], MAX_WORD),
    versionId: textOf(objectOf(resource['meta'])['versionId'], MAX_WORD),
    validatedType: validatedTypeOf(source).slice(0, MAX_WORD),
    links: resourceType === 'Bundle' ? linksOf(source, body) : undefined,
    capabilities: resourceType === 'CapabilityStatement' ? capabilitiesOf(resource) : undefined,
    hash: hash?.(text).toString('hex'),
  };
}

/** Returns the type of the resource, which may be in Parameters, as $validate defines. */
function validatedTypeOf({ resourceType, resource }: ResourceText): string {
  if (resourceType !== 'Parameters') return resourceType;
  const inner = listOf(resource['parameter'])
    .map(objectOf)
    .find(({ name }) => name === 'resource');
  return textOf(objectOf(inner?.['resource'])['resourceType'], MAX_WORD) ?? resourceType;
}

function linksOf({ text, members, resource }: ResourceText, body: Uint8Array): LinksOf | undefined {
  const member = members.find(({ key }) => key === 'link');
  if (member === undefined) return undefined;
  // The decoded text does not contain the byte order mark.
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
