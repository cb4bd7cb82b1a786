// Which routes get a parsed query, and how it is parsed.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Type from 'typebox';
import { makePrincipal, makeTestApp } from '#test/support/http-app.ts';

const app = await makeTestApp({ anna: makePrincipal(['admin']) });
after(() => app.close());
const querystring = Type.Object(
  { page: Type.Optional(Type.Integer()), name: Type.Optional(Type.Array(Type.String())) },
  { additionalProperties: false },
);
const config = { permission: 'directory:administer' } as const;
app.get('/named', { config, schema: { querystring } }, async ({ query }) => query);
app.get('/unnamed', { config }, async ({ query }) => ({ query: Object.keys(query ?? {}) }));
await app.ready();

function get(url: string, authorization = 'Bearer anna') {
  return app.inject({ url, headers: { authorization } });
}

test('a query is parsed, coerced and validated where the route has a schema for it', async () => {
  assert.deepEqual((await get('/named')).json(), {});
  assert.deepEqual((await get('/named?')).json(), {});
  const { body } = await get('/named?page=2&name=a%20b&name=c+d&name=%C3%A5');
  assert.deepEqual(JSON.parse(body), { page: 2, name: ['a b', 'c d', 'å'] });
  assert.deepEqual((await get('/named?page=x')).statusCode, 400);
  assert.match((await get('/named?pages=1')).json().messages[0], /query parameter 'pages'/);
  assert.equal((await get('/named?page=x', 'Bearer nobody')).statusCode, 401, 'who is not let in hears nothing of it');
});

test('a route without a schema of the query gets none', async () => {
  assert.deepEqual((await get('/unnamed?page=2')).json(), { query: [] });
});
