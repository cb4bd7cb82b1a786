// Hidden records leave no trace, of any type and at any address (decisions G7, G12, docs/adr/0059). A record of each
// type of R5 belongs to one organisation. Callers who may not see it call every address of the OpenAPI document with
// its id and with an id that does not exist. Both responses are alike: status, headers and body. Intended differences
// are in services/engine/fhir/side-channels.test.ts.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { callersFor, KIND_OF, type TypeAddress } from '#test/support/fhir/fhir-rights.ts';
import { validResources } from '#test/support/fhir/valid-resources.ts';
import { makeKey, makePrincipal } from '#test/support/http-app.ts';
import { type ComparableResponse, comparableResponse } from '#test/support/paired-responses.ts';

const OWN_PATIENT = '01900000-0000-7000-8000-0000000000b9';
const { call, app } = await startTestEngine(
  { after },
  {
    callers: {
      other: makePrincipal(['patient'], { patientGuid: OWN_PATIENT }),
      key: makeKey('system/*.cruds'),
      changer: makeKey('system/*.ud'),
    },
  },
);
/** Those who may not see what the planner's organisation has of patients, each in a way of their own. */
const OUTSIDERS = ['stranger', 'other', 'key', 'changer'];

/**
 * What is asked about: there and hidden, or not there; ids of one length. `inner` is in the hidden records alone,
 * and in no question.
 */
interface Name {
  readonly id: string;
  readonly word: string;
}
const HIDDEN: Name = { id: 'id-of-a-hidden-one', word: 'wordofahiddenone' };
const ABSENT: Name = { id: 'id-of-an-absent-one', word: 'wordofanabsentone' };
const INNER = 'innerword';

/** The hidden one's id by type: that of an AuditEvent is given by the engine. */
const ids = new Map<string, string>();
const nameOf = (type: string, name: Name): Name =>
  name === HIDDEN ? { ...HIDDEN, id: ids.get(type) ?? assert.fail(type) } : name;

/** Knowledge and directories are no secret to staff: for them the owner's refusal is 403 (docs/adr/0050). */
const isRecord = (type: string) => ['record', 'observed', 'reported', 'audit'].includes(KIND_OF.get(type) ?? '');
const bodies = validResources();

function hidden(type: string): Readonly<Record<string, unknown>> {
  const resource = JSON.parse(bodies.get(type) ?? assert.fail(type));
  const { securityContext: _, ...body } = resource;
  const tag = [HIDDEN.word, INNER].map((code) => ({ system: 'urn:words', code }));
  return { ...body, id: HIDDEN.id, meta: { tag } };
}

before(async () => {
  for (const type of KIND_OF.keys()) {
    const isEvent = type === 'AuditEvent';
    const { text, status, body } = isEvent
      ? await call('planner', 'POST', '/AuditEvent', { ...hidden(type), id: undefined })
      : await call('planner', 'PUT', `/${type}/${HIDDEN.id}`, hidden(type));
    assert.equal(status, 201, `${type} ${text.slice(0, 300)}`);
    ids.set(type, body.id);
  }
});

interface Question {
  readonly method: string;
  readonly path: (name: Name) => string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: (name: Name) => object | string;
}

const { paths } = (await app.inject('/openapi.json')).json() as { paths: Record<string, object> };
/**
 * Those that name a resource. A PUT may make one: what is taken cannot be hidden from a caller who may take what is
 * free (docs/adr/0059).
 */
const ADDRESSES: readonly TypeAddress[] = Object.entries(paths).flatMap(([path, methods]) => {
  const [, type = '', rest = ''] = /^\/api\/v1\/([A-Z]\w+)(\/\{id\}.*)$/.exec(path) ?? [];
  const asked = Object.keys(methods).map((method) => method.toUpperCase());
  return asked.filter((method) => rest !== '' && method !== 'PUT').map((method) => ({ method, type, rest }));
});

const meta = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag: [{ code: 'x' }] } }] };
const bundle = (type: string, method: string, url: string) => ({
  resourceType: 'Bundle',
  type,
  entry: [{ request: { method, url } }],
});

function bodyOf({ method, type, rest }: TypeAddress): Question['body'] {
  if (method === 'PATCH') return () => [{ op: 'add', path: '/language', value: 'sv' }];
  if (rest.endsWith('/_search')) return () => '_count=5';
  if (/\$meta-/.test(rest)) return () => meta;
  if (rest.endsWith('/$validate')) return ({ id }) => ({ ...hidden(type), id });
  return method === 'POST' ? () => ({ resourceType: 'Parameters' }) : undefined;
}

function questionsAbout(type: string): Question[] {
  const named = ADDRESSES.filter((address) => address.type === type).map((address): Question => {
    const body = bodyOf(address);
    const rest = address.rest.replace('{version}', '1').replace('{type}', 'Observation');
    const path = ({ id }: Name) => `/${type}${rest.replace('{id}', id)}`;
    return { method: address.method, path, ...(body === undefined ? {} : { body }) };
  });
  const get = (path: Question['path'], headers: Record<string, string> = {}) => ({ method: 'GET', path, headers });
  const entry = (kind: string, method: string): Question => ({
    method: 'POST',
    path: () => '/',
    body: ({ id }) => bundle(kind, method, `${type}/${id}`),
  });
  return [
    ...named,
    get(({ id }) => `/${type}/${id}`, { 'if-none-match': 'W/"1"' }),
    { method: 'DELETE', path: ({ id }) => `/${type}/${id}`, headers: { 'if-match': 'W/"1"' } },
    ...['', '&_summary=count', '&_total=accurate&_count=0', '&_sort=_lastUpdated', '&_include=*'].map((more) =>
      get(({ id }) => `/${type}?_id=${id}${more}`),
    ),
    get(({ word }) => `/${type}?_tag=urn:words|${word}&_total=accurate`),
    get(({ word }) => `/?_type=${type}&_tag=urn:words|${word}`),
    { method: 'POST', path: () => `/${type}/_search`, body: ({ word }) => `_tag=${word}` },
    ...(type === 'AuditEvent'
      ? []
      : [{ method: 'DELETE', path: ({ word }: Name) => `/${type}?_tag=urn:words|${word}` }]),
    ...['batch', 'transaction'].flatMap((kind) => [entry(kind, 'GET'), entry(kind, 'DELETE')]),
  ];
}

async function answerOf(
  caller: string,
  { method, path, headers, body }: Question,
  name: Name,
): Promise<ComparableResponse> {
  const asked = { method, path: path(name), headers, body: body?.(name) };
  const response = await comparableResponse(app, caller, asked, { ID: name.id, WORD: name.word });
  assert.ok(!response.body.includes(INNER), `${caller} ${method} ${path(name)} shows what is hidden`);
  assert.ok(response.status < 500, `${method} ${path(name)}: ${response.body.slice(0, 300)}`);
  return response;
}

/** So many types are asked about at a time. */
const AT_A_TIME = 4;

async function forEachRecord(work: (type: string) => Promise<void>): Promise<void> {
  const waiting = [...KIND_OF.keys()].filter(isRecord).values();
  const worker = async () => {
    for (const type of waiting) await work(type);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}

test('a record of every type that is hidden is answered as one that is not there, by every address', async () => {
  let asked = 0;
  await forEachRecord(async (type) => {
    for (const [index, question] of questionsAbout(type).entries()) {
      const of = (caller: string, name: Name) => answerOf(caller, question, nameOf(type, name));
      const callers = callersFor(OUTSIDERS, type, index);
      const pairs = await Promise.all(callers.map((caller) => Promise.all([of(caller, HIDDEN), of(caller, ABSENT)])));
      for (const [place, [there, absent]] of pairs.entries())
        assert.deepEqual(there, absent, `${callers[place]} ${question.method} ${question.path(nameOf(type, HIDDEN))}`);
      asked += 1;
    }
  });
  assert.ok(asked > 2_000, String(asked));
});

test('what is hidden is in no count, list or history of its type, and on no page', async () => {
  await forEachRecord(async (type) => {
    const rests = ['', '/_history'].filter((rest) => type !== 'AuditEvent' || rest === '');
    for (const caller of ['stranger', 'other', 'key'])
      for (const rest of rests)
        for (const query of ['_count=1&_total=accurate', '_count=1&_sort=-_lastUpdated', '_count=0']) {
          const { status, body, text } = await call(caller, 'GET', `/${type}${rest}?${query}`);
          if (status !== 200) {
            assert.ok(status === 400 || status === 403, `${caller} ${type}${rest}?${query}: ${text}`);
            continue;
          }
          const relations = body.link.map(({ relation }: { relation: string }) => relation);
          assert.deepEqual(
            [body.total ?? 0, body.entry ?? [], relations],
            [0, [], ['self']],
            `${caller} ${type}${rest}?${query}`,
          );
        }
  });
});

test('what they have asked for has changed nothing, and its own organisation sees all of it', async () => {
  for (const type of KIND_OF.keys()) {
    const caller = type === 'AuditEvent' ? 'admin' : 'planner';
    const { body, text } = await call(caller, 'GET', `/${type}?_tag=urn:words|${INNER}`);
    const found: readonly { id: string; meta: { versionId: string } }[] = body.entry?.map(
      ({ resource }: { resource: unknown }) => resource,
    );
    assert.deepEqual(
      found?.map(({ id, meta: { versionId } }) => [id, versionId]),
      [[ids.get(type), '1']],
      text.slice(0, 300),
    );
  }
});
