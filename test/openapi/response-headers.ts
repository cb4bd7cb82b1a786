// Every operation of an OpenAPI document says of its answers who may keep them and that their type is the one they
// name. It is called by nobody, and where it only reads, by somebody who may. The answers of the examples are held to
// the same.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { OpenApiDocument } from './shapes.ts';

/** What everybody may read, and keep. */
const PUBLIC = new Set([
  '/.well-known/jwks.json',
  '/api/public/groups',
  '/api/public/organisations',
  '/api/v1/$versions',
  '/api/v1/metadata',
  '/fhir/metadata',
  '/metadata',
]);

interface Answered {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** What is wrong with the headers of an answer of that operation (`GET /api/v1/Patient/{id}`). */
export function headerIssues(operation: string, { statusCode, headers }: Answered): string[] {
  const name = operation.slice(operation.indexOf(' ') + 1);
  const caching = String(headers['cache-control']);
  const isKept = caching === 'private, no-cache';
  const isRevalidated = isKept && (statusCode === 200 || statusCode === 304) && headers['etag'] !== undefined;
  const isPublic = PUBLIC.has(name) && /^public, (?:no-cache|max-age=60)$/.test(caching) && statusCode < 400;
  const variesBy = String(headers['vary']).split(', ');
  return [
    ...(/^(?:private, )?no-store$/.test(caching) || isRevalidated || isPublic ? [] : [`cache-control: ${caching}`]),
    ...(isKept &&
    !['Accept', 'Authorization', 'Cookie', 'Kedja-Patient', 'X-API-Key'].every((header) => variesBy.includes(header))
      ? [`vary: ${variesBy}`]
      : []),
    ...(headers['x-content-type-options'] === 'nosniff' ? [] : ['no nosniff']),
  ].map((issue) => `${operation} ${statusCode} ${issue}`);
}

/** `reader` are the credentials of somebody who may read nearly everything. */
export function holdResponseHeaders(
  app: HttpApp,
  document: OpenApiDocument,
  reader: Readonly<Record<string, string>>,
): void {
  test('every operation says who may keep its answers, and forbids to guess their type', async () => {
    const operations = Object.entries(document.paths).flatMap(([name, methods]) =>
      Object.keys(methods).map((method) => [method.toUpperCase(), name] as const),
    );
    assert.ok(operations.length > 30);
    const issues: string[] = [];
    const ask = async (method: string, name: string, headers: Readonly<Record<string, string>>) => {
      // A stream stays open unless it is asked to end.
      const query = name.endsWith('/stream') ? '?seconds=0' : '';
      const url = name.replaceAll(/\{\w+\}/g, '01900000-0000-7000-8000-00000000ffff') + query;
      const answer = await app.inject({ method: method as 'GET', url, headers });
      issues.push(...headerIssues(`${method} ${name}`, answer));
    };
    for (const [method, name] of operations) {
      await ask(method, name, {});
      if (method === 'GET') await ask(method, name, reader);
    }
    // Where no operation is, and where the router itself refuses.
    for (const name of ['/nothing', '/api/v1/nothing', '/api/v1/%zz', '/docs/nothing']) await ask('GET', name, {});
    await ask('DELETE', '/readyz', {});
    await ask('TRACE', '/readyz', {});
    assert.deepEqual(issues, []);
  });
}
