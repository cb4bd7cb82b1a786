// Answers of external servers, believed no further than they can be checked: JSON by content type and by content, a resource of the type
// that was asked for.

import { type ResourceText, readResourceText } from '#lib/fhir/resource-text.ts';
import { decodeUtf8 } from '#lib/json/utf8.ts';
import type { UpstreamAnswer } from './call.ts';
import { UpstreamError } from './upstream-error.ts';

const JSON_TYPE = /^application\/(?:fhir\+)?json(?:\s*;|\s*$)/i;

export interface Wanted {
  /** The name of the server, for what is said of it. */
  readonly name: string;
  /** One of these types; any when left out. */
  readonly types?: readonly string[];
  readonly id?: string;
}

/** The resource in an answer. @throws UpstreamError `not_fhir` */
export function readAnswer(answer: UpstreamAnswer, { name, types, id }: Wanted): ResourceText {
  const wrong = (detail: string) => new UpstreamError(name, { reason: 'not_fhir', status: answer.status, detail });
  const type = answer.headers['content-type'] ?? '';
  if (!JSON_TYPE.test(type)) throw wrong('its content type is not JSON');
  if (isEncoded(answer)) throw wrong('its body is compressed, which was not asked for');
  const source = readSource(answer);
  if (source === undefined) throw wrong('its body is no FHIR resource');
  if (types !== undefined && !types.includes(source.resourceType)) throw wrong(`it is no ${types.join(' or ')}`);
  if (id !== undefined && source.resource['id'] !== id) throw wrong('it has another id');
  return source;
}

/** The OperationOutcome in an answer of failure; undefined when there is none. */
export function outcomeIn(answer: UpstreamAnswer): object | undefined {
  if (!JSON_TYPE.test(answer.headers['content-type'] ?? '') || isEncoded(answer)) return undefined;
  const source = readSource(answer);
  return source?.resourceType === 'OperationOutcome' ? source.resource : undefined;
}

function isEncoded({ headers }: UpstreamAnswer): boolean {
  return (headers['content-encoding'] ?? 'identity') !== 'identity';
}

function readSource({ body }: UpstreamAnswer): ResourceText | undefined {
  try {
    return readResourceText(decodeUtf8(body));
  } catch {
    return undefined;
  }
}
