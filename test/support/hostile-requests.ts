// Hostile requests to every address of an OpenAPI document: ids that are none, bodies of another kind, and texts that
// are meant for another reader. For every caller, an answer says what is wrong, keeps what was sent to itself, and is
// stored by no cache.
import assert from 'node:assert/strict';

export interface HostileAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly payload: string;
}

export interface HostileRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

interface Operation {
  readonly method: HostileRequest['method'];
  readonly path: string;
  readonly takesBody: boolean;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const GUID = '01900000-0000-7000-8000-00000000ffff';

export function operationsOf(document: { paths: Record<string, Record<string, { requestBody?: unknown }>> }) {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    METHODS.filter((method) => operations[method] !== undefined).map((method): Operation => {
      const takesBody = operations[method]?.requestBody !== undefined;
      return { method: method.toUpperCase() as Operation['method'], path, takesBody };
    }),
  );
}

/** Parts of a path that no record has; some end a text, a path or a header elsewhere. */
const IDS: readonly string[] = [
  '%00',
  '..%2F..%2Fetc%2Fpasswd',
  '%0d%0aset-cookie:a=b',
  `${GUID}%0a`,
  GUID.toUpperCase().replace('FFFF', 'FFFE'),
  "'%20OR%201=1--",
  '%E2%80%AE',
  'a'.repeat(70),
  '__proto__',
  'constructor',
  '%F0%9F%92%A9',
];
const SCRIPT = '<script>alert(1)</script>';
/** Bodies that no address takes. */
const BODIES: readonly string[] = [
  '',
  'null',
  '[]',
  '0',
  '"text"',
  '{',
  '{"a":1,}',
  '\ufeff{}',
  '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}',
  `{"note":"\\u0000","reason":"${SCRIPT}","status":"\\ud800"}`,
  '{"decision":["permit","deny"],"results":{"resourceType":"Bundle","entry":[null]},"item":[{"linkId":{}}]}',
  `{"${SCRIPT}":1}`,
  `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
];
/** Types in which a form or a script of another website sends without asking first. */
const TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml'];

/** The requests for one address. */
export function hostileRequests({ method, path, takesBody }: Operation): HostileRequest[] {
  const filled = (id: string) => path.replaceAll(/\{\w+\}/g, id);
  const json = { 'content-type': 'application/json' };
  const ids = path.includes('{') ? IDS : [];
  const bodies = takesBody ? BODIES : [];
  const types = takesBody ? TYPES : [];
  return [
    ...ids.map((id) => ({
      method,
      url: filled(id),
      headers: takesBody ? json : {},
      ...(takesBody ? { payload: '{}' } : {}),
    })),
    ...bodies.map((payload) => ({ method, url: filled(GUID), headers: json, payload })),
    ...types.map((type) => ({ method, url: filled(GUID), headers: { 'content-type': type }, payload: '{"a":1}' })),
    { method, url: `${filled(GUID)}?_format=%00&page=-1&lang=${encodeURIComponent(SCRIPT)}`, headers: {} },
  ];
}

/** What an answer to a hostile request never is. */
export function assertHarmless(
  request: HostileRequest,
  { statusCode, headers, payload }: HostileAnswer,
  who: string,
): void {
  const what = `${who}: ${request.method} ${request.url} ${request.payload?.slice(0, 80) ?? ''} → ${statusCode}`;
  assert.ok(statusCode < 500 || statusCode === 503, `${what} ${payload.slice(0, 300)}`);
  assert.equal(headers['x-content-type-options'], 'nosniff', what);
  if (statusCode >= 400) assert.match(String(headers['cache-control']), /no-store/, what);
  assert.doesNotMatch(String(headers['set-cookie'] ?? ''), /a=b/, what);
  assert.doesNotMatch(String(headers['location'] ?? ''), /[\r\n]/, what);
  if (/html/.test(String(headers['content-type']))) assert.ok(!payload.includes(SCRIPT), `${what} shows a script`);
  assert.doesNotMatch(
    payload,
    /at \S+ \(\S+:\d+:\d+\)|node:internal|SELECT |syntax error at/,
    `${what} ${payload.slice(0, 300)}`,
  );
}
