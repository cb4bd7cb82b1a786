// The requests to the plan service, and how its responses are read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#lib/errors.ts';
import type { ServiceRequest, ServiceResponse } from '#lib/http/upstream/service-fetch.ts';
import { createPlanClient } from './plan-client.ts';

type Asked = { path: string; request: ServiceRequest | undefined };

/** A client of a fake service that responds by path and stores the requests. */
function makeClient(answers: Readonly<Record<string, ServiceResponse>>) {
  const asked: Asked[] = [];
  const client = createPlanClient({
    credentials: { clientId: 'dispatch', clientSecret: 'secret' },
    fetch: async (path, request) => {
      asked.push({ path, request });
      return answers[path] ?? readFrom(answers, path) ?? { status: 404, headers: {}, text: '{}' };
    },
  });
  return { client, asked };
}

/** Resources of the bundles can be read by id too. */
function readFrom(answers: Readonly<Record<string, ServiceResponse>>, path: string): ServiceResponse | undefined {
  const wanted = /_id=(.*)/.exec(path)?.[1];
  for (const { status, text } of Object.values(answers)) {
    const entries = status === 200 && text.startsWith('{') ? (JSON.parse(text).entry ?? []) : [];
    const found = entries.find(({ resource }: { resource: { id?: string } }) => resource.id === wanted);
    if (found !== undefined) return bundle([found.resource]);
  }
  return undefined;
}

const ok = (body: unknown): ServiceResponse => ({ status: 200, headers: {}, text: JSON.stringify(body) });
const bundle = (resources: readonly object[], next?: string) =>
  ok({
    resourceType: 'Bundle',
    type: 'searchset',
    ...(next === undefined ? {} : { link: [{ relation: 'next', url: next }] }),
    entry: resources.map((resource) => ({ resource })),
  });
const plan = (id: string, status: string, lastUpdated: string) => ({
  resourceType: 'PlanDefinition',
  id,
  status,
  meta: { lastUpdated },
});

test('of several resources with one canonical address the one in force is returned: active first, then the newest', async () => {
  const { client, asked } = makeClient({
    '/PlanDefinition?url=https%3A%2F%2Fx.example%2Fp&_count=50&_elements=version%2Cstatus': bundle([
      plan('a', 'draft', '2026-03-01T00:00:00Z'),
      plan('b', 'active', '2026-01-01T00:00:00Z'),
      plan('c', 'active', '2026-02-01T00:00:00Z'),
      { resourceType: 'OperationOutcome', issue: [] },
    ]),
  });
  const text = await client.findByCanonical('PlanDefinition', 'https://x.example/p');
  assert.equal(JSON.parse(text ?? '{}').id, 'c');
  assert.equal(asked[0]?.request?.headers?.['x-sso-client-id'], 'dispatch');
});

test('of several in force the latest version is returned, whatever the update times and pages', async () => {
  const of = (id: string, status: string, version?: string) => ({
    ...plan(id, status, '2026-01-01T00:00:00Z'),
    version,
  });
  const { client } = makeClient({
    '/PlanDefinition?url=p&_count=50&_elements=version%2Cstatus': bundle(
      [
        { ...of('nine', 'active', '9'), meta: { lastUpdated: '2026-12-01T00:00:00Z' } },
        of('none', 'active'),
        of('draft', 'draft', '11'),
        of('retired', 'retired', '12'),
      ],
      'https://public.example/x/PlanDefinition?_cursor=abc',
    ),
    '/PlanDefinition?_cursor=abc': bundle([of('ten', 'active', '10'), of('two', 'active', '2')]),
  });
  const text = await client.findByCanonical('PlanDefinition', 'p');
  assert.equal(JSON.parse(text ?? '{}').id, 'ten');
});

test('a version in the canonical is searched for; undefined without a result', async () => {
  const { client, asked } = makeClient({
    '/PlanDefinition?url=https%3A%2F%2Fx.example%2Fp&version=2&_count=50&_elements=version%2Cstatus': bundle([]),
  });
  assert.equal(await client.findByCanonical('PlanDefinition', 'https://x.example/p|2'), undefined);
  assert.equal(asked.length, 1);
});

test('decimals of found resources keep their digits', async () => {
  const text =
    '{"resourceType":"Bundle","type":"searchset","entry":[{"resource":{"resourceType":"PlanDefinition","a":1.50}}]}';
  const { client } = makeClient({
    '/PlanDefinition?url=u&_count=50&_elements=version%2Cstatus': bundle([plan('u', 'active', '2026-01-01')]),
    '/PlanDefinition?_id=u': { status: 200, headers: {}, text },
  });
  assert.match((await client.findByCanonical('PlanDefinition', 'u')) ?? '', /1\.50/);
});

test('the list of forms follows the next links, whatever base address they have', async () => {
  const first = '/Questionnaire?_count=500&_elements=url,version,title,name,status';
  const { client } = makeClient({
    [first]: bundle([{ resourceType: 'Questionnaire', id: '1' }], 'https://public.example/x/Questionnaire?_cursor=abc'),
    '/Questionnaire?_cursor=abc': bundle([{ resourceType: 'Questionnaire', id: '2' }]),
  });
  const forms = await client.listForms();
  assert.deepEqual(
    forms.map(({ id }) => id),
    ['1', '2'],
  );
});

test('a form that is not there is undefined; another kind of resource, or none, is an upstream error', async () => {
  const { client } = makeClient({
    '/Questionnaire/strange': ok({ resourceType: 'Patient' }),
    '/Questionnaire/page': { status: 200, headers: {}, text: '<html>' },
    '/Questionnaire/busy': { status: 500, headers: {}, text: '' },
    '/Questionnaire/gone': { status: 410, headers: {}, text: '' },
  });
  assert.equal(await client.readForm('none'), undefined);
  assert.equal(await client.readForm('gone'), undefined);
  for (const [id, code] of [
    ['strange', 'upstream_error'],
    ['page', 'upstream_error'],
    ['busy', 'upstream_unavailable'],
  ] as const) {
    await assert.rejects(client.readForm(id), (error) => error instanceof ServiceError && error.code === code);
  }
});

test('a ValueSet is expanded, or found by its address when it cannot be expanded', async () => {
  const expanded = { resourceType: 'ValueSet', expansion: {} };
  const found = { resourceType: 'ValueSet', id: 'found', status: 'active' };
  const { client } = makeClient({
    '/ValueSet/$expand?url=a': ok(expanded),
    '/ValueSet?url=b&_count=50&_elements=version%2Cstatus': bundle([found]),
    '/ValueSet/$expand?url=d': { status: 503, headers: {}, text: '' },
    '/ValueSet?url=c&_count=50&_elements=version%2Cstatus': bundle([]),
  });
  assert.deepEqual(JSON.parse((await client.expandValueSet('a')) ?? '{}'), expanded);
  assert.deepEqual(JSON.parse((await client.expandValueSet('b')) ?? '{}'), found);
  assert.equal(await client.expandValueSet('c'), undefined);
  await assert.rejects(client.expandValueSet('d'), { name: 'ServiceError' });
});
