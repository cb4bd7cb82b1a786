// The HTTP client of the demo's loader: JSON at public addresses, for one caller, with every response checked.
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

export interface Reply {
  readonly status: number;
  readonly body: unknown;
}

export interface Api {
  /** The response with any status. Waits first where the service asks for it. */
  reply(method: Method, path: string, json?: unknown): Promise<Reply>;
  /** These throw unless the status is 2xx and the body has the shape. */
  get<T extends TSchema>(path: string, shape: T): Promise<Static<T>>;
  post<T extends TSchema>(path: string, json: unknown, shape: T): Promise<Static<T>>;
  put<T extends TSchema>(path: string, json: unknown, shape: T): Promise<Static<T>>;
  patch<T extends TSchema>(path: string, json: unknown, shape: T): Promise<Static<T>>;
}

const TIMEOUT_MS = 30_000;
const MAX_WAITS = 5;

/** The caller's credentials. */
export interface Credentials {
  readonly token?: string;
  readonly apiKey?: string;
}

/** The API at `base` for these credentials, or for an anonymous caller. */
export function createApi(base: string, { token, apiKey }: Credentials = {}): Api {
  async function send(method: Method, path: string, json: unknown): Promise<Response> {
    return fetch(base + path, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  }

  async function reply(method: Method, path: string, json?: unknown): Promise<Reply> {
    for (let waits = 0; ; waits += 1) {
      const response = await send(method, path, json);
      const text = await response.text();
      const waitSeconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      const mayWait = (response.status === 429 || response.status === 503) && waitSeconds >= 0 && waits < MAX_WAITS;
      if (!mayWait) return { status: response.status, body: parse(text) };
      await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
    }
  }

  async function demand<T extends TSchema>(method: Method, path: string, shape: T, json?: unknown): Promise<Static<T>> {
    const { status, body } = await reply(method, path, json);
    if (status < 200 || status > 299) throw new Error(`${method} ${base}${path} answered ${status}: ${excerpt(body)}`);
    return read(body, shape, `${method} ${base}${path}`);
  }

  return {
    reply,
    get: (path, shape) => demand('GET', path, shape),
    post: (path, json, shape) => demand('POST', path, shape, json),
    put: (path, json, shape) => demand('PUT', path, shape, json),
    patch: (path, json, shape) => demand('PATCH', path, shape, json),
  };
}

/** The body in this shape. @throws Error when it has another */
export function read<T extends TSchema>(body: unknown, shape: T, what: string): Static<T> {
  if (Value.Check(shape, body)) return body;
  const [first] = Value.Errors(shape, body);
  throw new Error(`${what} answered something else than expected: ${first?.message ?? 'unknown'}`);
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

function excerpt(body: unknown): string {
  return (typeof body === 'string' ? body : (JSON.stringify(body) ?? '')).slice(0, 500);
}
