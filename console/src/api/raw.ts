// Reads and writes FHIR as the text that it is: a number that is parsed loses its last zeros.
import { REQUEST_ORIGIN } from '../place.ts';
import { Problem } from './problem.ts';
import { sessionFetch } from './session.ts';

export interface RawAnswer {
  readonly text: string;
  readonly status: number;
  /** Of the version, where the answer is one. */
  readonly etag: string | undefined;
}

/** @throws Problem, UnreachableError */
export function getText(address: string, headers: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
  return send(new Request(REQUEST_ORIGIN + address, { headers: { accept: FHIR_JSON, ...headers } }));
}

interface Sent {
  readonly method: 'POST' | 'PUT';
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** `body` is FHIR in JSON. @throws Problem, UnreachableError */
export function sendText(address: string, { method, body, headers = {} }: Sent): Promise<RawAnswer> {
  const own = { accept: FHIR_JSON, 'content-type': FHIR_JSON };
  return send(new Request(REQUEST_ORIGIN + address, { method, body, headers: { ...own, ...headers } }));
}

const FHIR_JSON = 'application/fhir+json';

async function send(request: Request): Promise<RawAnswer> {
  const response = await sessionFetch(request);
  const text = await response.text();
  if (!response.ok) throw new Problem(response, parsed(text));
  return { text, status: response.status, etag: response.headers.get('etag') ?? undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
