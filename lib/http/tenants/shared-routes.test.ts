// Routes that are registered once: each tenant's functions are called for its requests alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { makeTestApp, makeTestAuthenticator } from '#test/support/http-app.ts';
import type { HttpApp } from '../http-app.ts';
import { createSharedRoutes } from './shared-routes.ts';
import { serveAs } from './tenant-handlers.ts';

const config = { permission: 'public' } as const;

/** Routes, hooks and a parser of every kind, which say whose they are. */
function pluginOf(name: string, more?: (app: HttpApp) => void) {
  const bodies = new WeakMap<FastifyRequest, string>();
  return async (app: HttpApp) => {
    app.addHook('onRoute', (route) => {
      if (route.config?.idempotent !== true) return;
      route.preHandler = [
        route.preHandler ?? [],
        async (_request: FastifyRequest, reply: never) => mark(reply, 'added'),
      ].flat() as never;
    });
    const mark = (reply: { header(name: string, value: string): unknown }, what: string) =>
      void reply.header(`x-${what}`, name);
    app.addHook('onSend', async (_request, reply) => mark(reply, 'sent'));
    app.get('/whose', { config }, async () => name);
    await app.register(
      async (scope) => {
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser<string>('text/plain', { parseAs: 'string' }, (request, body, done) => {
          bodies.set(request, `${name} ${body}`);
          done(null, body);
        });
        scope.addHook('preHandler', async (_request, reply) => mark(reply, 'scoped'));
        scope.post('/body', { config: { ...config, idempotent: true } }, async (request) => bodies.get(request));
      },
      { prefix: '/in' },
    );
    more?.(app);
  };
}

let offers = 0;

/** A plugin whose only route that hooks add to is an offered one. */
function offering(name: string) {
  return async (app: HttpApp) => {
    app.addHook('onRoute', (route) => {
      if (route.config?.idempotent !== true) return;
      route.preHandler = async (_request, reply) => void reply.header('x-added', name);
    });
    await app.register(
      async (scope) => {
        const nameOf = scope.ofTenant((_request: FastifyRequest) => name);
        scope.offerRoutes(() => {
          offers += 1;
          const handler = async (request: FastifyRequest) => `${nameOf(request)}, made ${offers} times`;
          return [{ method: 'POST', url: '/offered', config: { ...config, idempotent: true }, handler }];
        });
      },
      { prefix: '/in' },
    );
  };
}

/** What a request asks for, and the tenant that serves it. */
const ASKED = [
  ['', 'default'],
  ['north', 'north'],
  ['south', 'south'],
] as const;

const start = () => startWith(pluginOf);

async function startWith(makePlugin: (name: string) => (app: HttpApp) => Promise<void>) {
  const routes = createSharedRoutes();
  const app = await makeTestApp();
  const tenants = new Map<string, Parameters<typeof serveAs>[1]>();
  app.addHook('onRequest', async ({ raw, headers }) => {
    const found = tenants.get(String(headers['x-asked']));
    if (found !== undefined) serveAs(raw, found);
  });
  await routes.register(app, makePlugin('default'));
  const add = async (name: string, plugin = makePlugin(name)) => {
    const { functions } = await routes.record(plugin);
    tenants.set(name, { name, authenticator: makeTestAuthenticator({}), functions });
  };
  return { app, add };
}

test('handlers, hooks, parsers and what hooks add to routes are the tenant’s', async (t) => {
  const { app, add } = await start();
  t.after(() => app.close());
  await add('north');
  await add('south');
  for (const [asked, name] of ASKED) {
    const headers = { 'x-asked': asked };
    const whose = await app.inject({ url: '/whose', headers });
    assert.equal(whose.body, name);
    assert.equal(whose.headers['x-sent'], name);
    assert.equal((await app.inject({ method: 'HEAD', url: '/whose', headers })).headers['x-sent'], name);
    const sent = { ...headers, 'content-type': 'text/plain' };
    const body = await app.inject({ method: 'POST', url: '/in/body', headers: sent, payload: 'text' });
    assert.equal(body.body, `${name} text`);
    assert.equal(body.headers['x-scoped'], name);
    assert.equal(body.headers['x-added'], name);
  }
});

test('offered routes are made once, ask for what is the tenant’s, and get what its hooks add', async (t) => {
  const { app, add } = await startWith(offering);
  t.after(() => app.close());
  await add('north');
  await add('south');
  for (const [asked, name] of ASKED) {
    const answer = await app.inject({ method: 'POST', url: '/in/offered', headers: { 'x-asked': asked } });
    assert.equal(answer.body, `${name}, made 1 times`);
    assert.equal(answer.headers['x-added'], name);
  }
});

test('a plugin that registers otherwise, or uses what knows no tenants, is refused', async (t) => {
  const { app, add } = await start();
  t.after(() => app.close());
  const less = async (given: HttpApp) => void given.get('/whose', { config }, async () => 'less');
  await assert.rejects(add('less', less), /A tenant lacks/);
  await assert.rejects(
    add(
      'more',
      pluginOf('more', (given) => given.get('/other', { config }, async () => 'x')),
    ),
    /Only one tenant registers/,
  );
  await assert.rejects(
    add(
      'odd',
      pluginOf('odd', (given) => void given.decorate('odd', 1)),
    ),
    /cannot use app\.decorate/,
  );
});
