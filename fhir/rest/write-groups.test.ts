// Creates and updates that come at the same time and are written together: each is answered as if it had come alone.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type DatabaseProxy, startDatabaseProxy } from '#test/support/database/database-proxy.ts';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { atOnce, countedByStatus, fifty } from '#test/support/system/at-once.ts';

let line: DatabaseProxy | undefined;
const { call, database, auditEvents } = await startFhirRest({ after }, ['Patient', 'Organization'], async (url) => {
  line = await startDatabaseProxy({ after }, url);
  return line.url;
});

const person = (family: string, more: object = {}) => ({ resourceType: 'Patient', name: [{ family }], ...more });
const guidOf = (location: unknown) => String(location).split('/').at(-3) ?? '';

/** Of its creation, not of later reads. */
async function eventsOf(id: string): Promise<number> {
  return (await auditEvents(`%patient.create%${id}`)).length;
}

test('creates at the same time share transactions, and each has its own answer and its own event', async () => {
  const commits = async () =>
    (await database.query<{ n: number }>('SELECT count(DISTINCT xmin::text)::int AS n FROM fhir_resource')).rows[0]
      ?.n ?? 0;
  const answers = await fifty((index) => call('POST', '/Patient', { body: person(`Name${index}`) }));
  assert.deepEqual(countedByStatus(answers), { 201: 50 });
  assert.ok((await commits()) < 25);
  const ids = new Set(answers.map(({ headers }) => guidOf(headers['location'])));
  assert.equal(ids.size, 50);
  for (const [index, { body, headers }] of answers.entries()) {
    assert.equal(body.name[0].family, `Name${index}`);
    assert.equal(headers['etag'], 'W/"1"');
    assert.deepEqual((await call('GET', `/Patient/${body.id}`)).body, body);
    const found = await call('GET', `/Patient?family=Name${index}&_id=${body.id}`);
    assert.equal(found.body.total, 1);
  }
  assert.equal((await auditEvents('patient.create')).length, 50);
});

test('one that fails in the database, or is not valid, does not touch the others', async () => {
  await database.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`,
  );
  await database.query(`CREATE TRIGGER refuse BEFORE INSERT ON fhir_resource FOR EACH ROW
    WHEN (NEW.content LIKE '%"refused"%') EXECUTE FUNCTION refuse()`);
  const answers = await fifty((index) => {
    const bad = index === 7 ? { identifier: [{ value: 'refused' }] } : index === 8 ? { gender: 'unknown?' } : {};
    return call('POST', '/Patient', { body: person('Beside', bad) });
  });
  assert.deepEqual(countedByStatus(answers), { 201: 48, 422: 1, 500: 1 });
  assert.equal(answers[7]?.status, 500);
  assert.equal((await call('GET', '/Patient?family=Beside&_summary=count')).body.total, 48);
});

test('of fifty updates of one version one succeeds, and the history has no gap', async () => {
  for (const id of ['race', '019a0000-0000-7000-8000-0000000000aa']) {
    const put = (version: number, index: number) =>
      call('PUT', `/Patient/${id}`, {
        body: person(`V${index}`, { id }),
        headers: version === 0 ? {} : { 'if-match': `W/"${version}"` },
      });
    assert.equal((await put(0, 0)).status, 201);
    for (const version of [1, 2, 3]) {
      const answers = await fifty((index) => put(version, index));
      assert.deepEqual(countedByStatus(answers), { 200: 1, 412: 49 });
    }
    const answers = await fifty((index) => put(0, index));
    assert.deepEqual(countedByStatus(answers), { 200: 50 });
    const versions = answers.map(({ body }) => Number(body.meta.versionId)).sort((a, b) => a - b);
    assert.deepEqual(
      versions,
      Array.from({ length: 50 }, (_, index) => index + 5),
    );
    const history = await call('GET', `/Patient/${id}/_history?_count=100`);
    assert.deepEqual(
      history.body.entry.map(({ resource }: { resource: { meta: { versionId: string } } }) => resource.meta.versionId),
      Array.from({ length: 54 }, (_, index) => String(54 - index)),
    );
    for (const { body } of answers) {
      const old = await call('GET', `/Patient/${id}/_history/${body.meta.versionId}`);
      assert.deepEqual(old.body, body);
    }
  }
});

test('updates of different records at the same time are checked by whose they are', async () => {
  const made = await fifty((index) =>
    call('POST', '/Patient', { as: index % 2 === 0 ? 'anna' : 'bo', body: person('Owned') }),
  );
  const answers = await atOnce(
    made.map(
      ({ body }) =>
        () =>
          call('PUT', `/Patient/${body.id}`, { as: 'anna', body: { ...body, active: true } }),
    ),
  );
  assert.deepEqual(countedByStatus(answers), { 200: 25, 404: 25 });
  for (const [index, { body }] of made.entries()) {
    const now = (await call('GET', `/Patient/${body.id}`)).body;
    assert.equal(now.meta.versionId, index % 2 === 0 ? '2' : '1');
  }
});

test('a lost connection in the middle of a group: what was answered is stored with its event, the rest gets an error', async () => {
  const cuts = { hit: 0, stored: 0 };
  for (let packets = 1; packets <= 10; packets += 1) {
    const known = await call('POST', '/Patient', { body: person('Known') });
    line?.cutAfter(packets);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        index === 0
          ? call('PUT', `/Patient/${known.body.id}`, { body: { ...known.body, active: true } })
          : call('POST', '/Patient', { body: person(`Cut${packets}`) }),
      ),
    );
    if (line?.restore() === true) cuts.hit += 1;
    const statuses = new Set(answers.map(({ status }) => status));
    statuses.delete(503);
    statuses.delete(201);
    statuses.delete(200);
    assert.deepEqual([...statuses], []);
    for (const { status, body, headers } of answers) {
      if (status !== 201) continue;
      cuts.stored += 1;
      const id = guidOf(headers['location']);
      assert.equal((await call('GET', `/Patient/${id}`)).body.id, body.id);
      assert.equal(await eventsOf(id), 1);
    }
    // Whatever was stored has its event, answered or not.
    const { rows } = await database.query<{ id: string }>(
      `SELECT r.rid::text AS id FROM fhir_resource r JOIN fhir_string s USING (type, rid) WHERE s.value = $1`,
      [`cut${packets}`],
    );
    for (const { id } of rows) assert.equal(await eventsOf(id), 1);
  }
  assert.ok(cuts.hit > 0);
  assert.ok(cuts.stored > 0);
});

test('records of no patient are written together too, without events', async () => {
  const answers = await fifty((index) =>
    call('POST', '/Organization', { body: { resourceType: 'Organization', name: `O${index}` } }),
  );
  assert.deepEqual(countedByStatus(answers), { 201: 50 });
  assert.equal(await eventsOf(answers[0]?.body.id), 0);
});
