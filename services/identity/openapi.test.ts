// /openapi.json lists the responses of each endpoint: its own and its errors (operations page, "What every service
// has").
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startIdentity } from '#test/support/identity/identity.ts';

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: object; readonly description: string }>
  >;
  readonly security: readonly object[];
  readonly parameters?: readonly object[];
  readonly requestBody?: {
    readonly content?: Readonly<
      Record<
        string,
        { schema?: { required?: string[]; properties?: Readonly<Record<string, { readonly default?: unknown }>> } }
      >
    >;
  };
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<'responses' | 'schemas' | 'securitySchemes' | 'parameters', object>>;
}

const { app } = await startIdentity({ after });
const document: Document = (await app.inject('/openapi.json')).json();
function operation(method: string, path: string): Operation {
  const found = document.paths[path]?.[method.toLowerCase()];
  assert.ok(found, `${method} ${path}`);
  return found;
}

/** The statuses that the contract's tables and the decisions name for these endpoints. */
const NAMED: readonly [method: string, path: string, statuses: string][] = [
  ['POST', '/api/auth/login', '200 302 400 401 403 413 415 429'],
  ['GET', '/api/auth/me', '200 401 403'],
  ['GET', '/api/auth/me/service', '200 401 403 429'],
  ['POST', '/api/auth/change-password', '200 400 401 403 413 415 429'],
  ['POST', '/api/patient/register', '201 400 403 404 409 413 415 422 429'],
  ['GET', '/api/patient/registry-status', '200 401 403'],
  ['POST', '/api/groups/request-membership', '201 400 401 403 404 409 413 415 422'],
  ['POST', '/api/groups/admin/decide', '200 400 401 403 404 409 413 415 422'],
  ['POST', '/api/groups/join-by-invite', '201 400 401 403 404 409 410 413 415 422'],
  ['POST', '/api/admin/promote-su', '200 400 401 403 404 409 413 415 429'],
  ['DELETE', '/api/admin/users/{user_guid}', '200 401 403 404 409'],
  ['DELETE', '/api/admin/groups/{group_guid}', '200 401 403 404'],
  ['GET', '/api/public/group-leaders', '200 400 429'],
  ['POST', '/api/public/access-request', '201 400 404 409 413 415 422 429'],
  ['GET', '/readyz', '200 404 503'],
  ['POST', '/api/auth/token', '200 400 401 403 413 415 429'],
  ['GET', '/fhir/Patient/{id}', '200 304 400 401 403 404 405 406 410'],
  ['POST', '/fhir/Patient', '201 400 401 403 404 406 409 412 413 415 422'],
];

test('an endpoint lists its statuses', () => {
  for (const [method, path, statuses] of NAMED) {
    assert.equal(Object.keys(operation(method, path).responses).join(' '), `${statuses} default`, `${method} ${path}`);
  }
  assert.match(operation('POST', '/api/auth/login').responses['400']?.description ?? '', /`invalid_redirect`/);
});

test('every address shows a success with its shape and errors in its form, and every reference leads somewhere', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const form = path.startsWith('/fhir/') ? 'OperationOutcome' : 'Error';
      const { $ref = '' } = responses['default'] ?? {};
      const forms = [form, ...(path.startsWith('/api/auth/login') ? ['ErrorOrPage'] : [])];
      assert.ok(forms.includes($ref.replace('#/components/responses/', '')), `${method} ${path} ${$ref}`);
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      assert.ok(successes.length > 0, `${method} ${path}`);
      for (const [status, answer] of successes) {
        // A response without content is described by its status (RFC 9110 §15.3.5).
        assert.ok(status === '204' || (answer.content ?? answer.$ref), `${method} ${path}`);
      }
    }
  }
  const text = JSON.stringify(document);
  for (const [, kind = '', name = ''] of text.matchAll(/#\/components\/(\w+)\/([^"]+)/g)) {
    assert.ok(name in (document.components[kind as 'schemas'] ?? {}), `${kind}/${name}`);
  }
});

test('what has a default is optional in a request, and not in a response', () => {
  const invite = operation('POST', '/api/groups/admin/invite');
  const schema = invite.requestBody?.content?.['application/json']?.schema;
  assert.deepEqual(schema?.required, ['group_guid']);
  assert.equal(schema?.properties?.['hours_valid']?.default, 72);
});

test('endpoints with a token accept an organisation, and refuse another than the caller’s own', () => {
  const header = { $ref: '#/components/parameters/KedjaOrganisation' };
  const asks = ({ parameters = [] }: Operation) =>
    parameters.some((each) => JSON.stringify(each) === JSON.stringify(header));
  for (const path of ['/fhir/Patient/{id}', '/api/patient/registry-status', '/api/groups']) {
    assert.ok(asks(operation('GET', path)), path);
    assert.ok('403' in operation('GET', path).responses, path);
  }
  assert.ok(!asks(operation('GET', '/readyz')) && !asks(operation('GET', '/api/auth/revocations')));
});

test('an endpoint lists its credentials', () => {
  const service = { serviceId: [], serviceSecret: [] };
  assert.deepEqual(operation('GET', '/api/auth/me').security, [{ bearer: [] }]);
  assert.deepEqual(operation('GET', '/api/auth/me/service').security, [{ bearer: [], ...service }]);
  assert.deepEqual(operation('GET', '/api/auth/revocations').security, [service]);
  assert.deepEqual(operation('POST', '/api/auth/login').security, []);
  const used = new Set(
    Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ security }) => security.flatMap((one) => Object.keys(one))),
    ),
  );
  for (const scheme of used) assert.ok(scheme in document.components.securitySchemes, scheme);
});
