// Transactions that come at the same time and make new resources. Each is carried out whole or not at all, and answered
// as if it had come alone.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type DatabaseProxy, startDatabaseProxy } from '#test/support/database/database-proxy.ts';
import { bundleOf, entryOf as entry, weightOf } from '#test/support/fhir/bundle.ts';
import { startFhirRest } from '#test/support/fhir/fhir-rest.ts';
import { countedByStatus, fifty } from '#test/support/system/at-once.ts';

let line: DatabaseProxy | undefined;
const { call, database, auditEvents } = await startFhirRest({ after }, ['Patient', 'Observation'], async (url) => {
  line = await startDatabaseProxy({ after }, url);
  return line.url;
});

const person = (family: string, more: object = {}) => ({ resourceType: 'Patient', name: [{ family }], ...more });
const send = (entries: readonly object[], headers: Readonly<Record<string, string>> = {}) =>
  call('POST', '/$transaction', { body: bundleOf('transaction', entries), headers });
/** A patient and a weight that refers to it. */
const weighed = (family: string, more: object = {}) => [
  entry('POST', 'Observation', weightOf('urn:uuid:019a0000-0000-7000-8000-000000000001')),
  entry('POST', 'Patient', person(family, more), { fullUrl: 'urn:uuid:019a0000-0000-7000-8000-000000000001' }),
];
const total = async (query: string): Promise<number> =>
  (await call('GET', `/${query}${query.includes('?') ? '&' : '?'}_summary=count`)).body.total;
// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
const guidAt = (body: any, place: number): string =>
  String(body.entry[place].response.location).split('/').at(-3) ?? '';

/** Of its creation, not of later reads. */
async function eventsOf(id: string): Promise<number> {
  return (await auditEvents(`%patient.create%${id}`)).length;
}

test('transactions at the same time share those of the database, and each has its own answer and its own event', async () => {
  const answers = await fifty((index) => send(weighed(`Weighed${index}`)));
  assert.deepEqual(countedByStatus(answers), { 200: 50 });
  const { rows } = await database.query<{ n: number }>(
    'SELECT count(DISTINCT xmin::text)::int AS n FROM fhir_resource',
  );
  assert.ok((rows[0]?.n ?? 50) < 25, `${rows[0]?.n} transactions`);
  for (const [index, { body }] of answers.entries()) {
    assert.deepEqual(
      body.entry.map(({ response }: { response: { status: string } }) => response.status),
      ['201 Created', '201 Created'],
    );
    const [observation, patient] = [guidAt(body, 0), guidAt(body, 1)];
    assert.equal((await call('GET', `/Patient/${patient}`)).body.name[0].family, `Weighed${index}`);
    assert.equal((await call('GET', `/Observation/${observation}`)).body.subject.reference, `Patient/${patient}`);
    assert.equal(await total(`Observation?patient.family=Weighed${index}&_id=${observation}`), 1);
    assert.equal(await eventsOf(patient), 1);
  }
});

test('one that is refused, or fails in the database, gets its error and leaves nothing; the others are carried out', async () => {
  await database.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no''; END'`,
  );
  await database.query(`CREATE TRIGGER refuse BEFORE INSERT ON fhir_resource FOR EACH ROW
    WHEN (NEW.content LIKE '%"refused"%') EXECUTE FUNCTION refuse()`);
  const before = await total('Observation');
  const answers = await fifty((index) => {
    if (index === 7) return send(weighed('Beside', { identifier: [{ value: 'refused' }] }));
    if (index === 8) return send(weighed('Beside', { gender: 'unknown?' }));
    if (index === 9) return send(weighed('Beside', { gender: 'other than known' }));
    if (index === 10) return send([entry('POST', 'Patient', person('Beside')), entry('POST', 'Patients', person('B'))]);
    return send(weighed('Beside'));
  });
  assert.deepEqual(countedByStatus(answers), { 200: 46, 400: 1, 422: 2, 500: 1 });
  assert.deepEqual(
    [7, 8, 9, 10].map((index) => answers[index]?.status),
    [500, 422, 422, 400],
  );
  assert.match(JSON.stringify(answers[9]?.body), /Entry 2 \(POST Patient\).*Bundle\.entry\[1\]\.resource\.gender/);
  assert.equal(await total('Patient?family=Beside'), 46);
  assert.equal(await total('Observation'), before + 46);
  await database.query('DROP TRIGGER refuse ON fhir_resource');
});

test('transactions whose common one loses a race are carried out, each of them once', async () => {
  await database.query('CREATE SEQUENCE lost');
  await database.query(`CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN
    IF nextval(''lost'') <= 3 THEN RAISE EXCEPTION ''lost'' USING ERRCODE = ''serialization_failure''; END IF; RETURN NEW; END'`);
  await database.query(`CREATE TRIGGER lose BEFORE INSERT ON fhir_resource FOR EACH ROW
    WHEN (NEW.content LIKE '%"Lost%') EXECUTE FUNCTION lose()`);
  const answers = await fifty((index) => send(weighed(`Lost${index + 10}`)));
  await database.query('DROP TRIGGER lose ON fhir_resource');
  assert.deepEqual(countedByStatus(answers), { 200: 50 });
  for (const [index, { body }] of answers.entries()) {
    assert.equal(body.entry.length, 2);
    assert.equal((await call('GET', `/Patient/${guidAt(body, 1)}`)).body.name[0].family, `Lost${index + 10}`);
    assert.equal(await total(`Observation?patient.family=Lost${index + 10}`), 1);
    assert.equal(await eventsOf(guidAt(body, 1)), 1);
  }
});

test('beside transactions of new resources those that do more are carried out, however they are written', async () => {
  await send([entry('POST', 'Patient', person('Known', { identifier: [{ system: 'urn:t', value: 'known' }] }))]);
  const conditional = JSON.stringify(bundleOf('transaction', [entry('POST', 'Observation', weightOf('CONDITION'))]));
  const answers = await fifty((index) => {
    switch (index % 5) {
      case 0:
        return call('POST', '/$transaction', {
          body: conditional.replace('CONDITION', 'Patient\\u003fidentifier=urn:t|known'),
        });
      case 1:
        return send([entry('PUT', `Patient/put-${index}`, person('Put', { id: `put-${index}` }))]);
      case 2:
        return send([...weighed('More'), entry('GET', 'Patient')]);
      case 3:
        return send([entry('POST', 'Patient', person('Once'), { ifNoneExist: 'family=Once' })]);
      default:
        return call('POST', '/', { body: bundleOf('transaction', weighed('More')) });
    }
  });
  assert.deepEqual(countedByStatus(answers), { 200: 50 });
  assert.equal(await total('Observation?patient.identifier=urn:t|known'), 10);
  assert.equal(await total('Patient?family=Put'), 10);
  assert.equal(await total('Patient?family=More'), 20);
  assert.equal(await total('Patient?family=Once'), 1);
});

test('each is decided by the rights of its caller, whose organisation owns what it makes', async () => {
  const answers = await fifty((index) =>
    call('POST', '/$transaction', {
      as: index % 2 === 0 ? 'anna' : 'bo',
      body: bundleOf('transaction', weighed('Owned')),
    }),
  );
  assert.deepEqual(countedByStatus(answers), { 200: 50 });
  for (const [index, { body }] of answers.entries()) {
    const seen = await call('GET', `/Patient/${guidAt(body, 1)}`, { as: 'anna' });
    assert.equal(seen.status, index % 2 === 0 ? 200 : 404);
  }
});

test('a lost connection in the middle: what was answered is stored whole with its event, of the rest nothing or all', async () => {
  const cuts = { hit: 0, stored: 0 };
  for (let packets = 1; packets <= 24; packets += 3) {
    await send(weighed('Before'));
    line?.cutAfter(packets);
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(weighed(`Cut${packets}`))));
    if (line?.restore() === true) cuts.hit += 1;
    const statuses = Object.keys(countedByStatus(answers)).filter((status) => status !== '200' && status !== '503');
    assert.deepEqual(statuses, []);
    for (const { body } of answers.filter(({ status }) => status === 200)) {
      cuts.stored += 1;
      assert.equal((await call('GET', `/Observation/${guidAt(body, 0)}`)).status, 200);
      assert.equal(await eventsOf(guidAt(body, 1)), 1);
    }
    const patients = await total(`Patient?family=Cut${packets}`);
    assert.equal(await total(`Observation?patient.family=Cut${packets}`), patients);
  }
  assert.ok(cuts.hit > 0);
  assert.ok(cuts.stored > 0);
});
