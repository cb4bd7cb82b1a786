// The export of users (contract: identity, Admin; decision I13): the file, the round trip, and failures that must not
// look like a complete file.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Secret } from '#lib/config/secret.ts';
import { createCsvReader } from '#lib/csv/csv-reader.ts';
import { writeRecord } from '#lib/csv/csv-writer.ts';
import { type Identity, startIdentity } from '#test/support/identity/identity.ts';
import {
  auditedEvents,
  makePatient,
  makeProfessional,
  nextEmail,
  nextPersonnummer,
} from '#test/support/identity/identity-people.ts';
import { exportUsers, HEADER, importUsers } from '#test/support/identity/user-csv.ts';
import { writeGroup, writeNames } from './lists.ts';

const url = '/api/admin/export-users';
const startNode = () => startIdentity({ after }, { config: { importPassword: new Secret('a temporary phrase') } });
const ADMIN_ROW = 'Admin@Example.org,professional,System,Administrator,other,,,,true\r\n';

const visible = fc
  .oneof(
    fc.stringMatching(/^[;\\*:'"=+@, a-]{1,8}$/),
    fc.constantFrom(
      'Åsa',
      "O'Neill",
      "'t Hooft",
      '=SUM(A1)',
      '-1',
      '"Vård, omsorg"; söder',
      'planning',
      'team:planning',
      '𝄞',
      '1;2',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  )
  .map((text) => text.trim())
  .filter((text) => /[^\s\p{Cf}]/u.test(text) && !/[\p{Cc}\p{Cs}]/u.test(text));
const personName = fc.oneof({ weight: 4, arbitrary: visible }, fc.constantFrom('Anna\nMaria', 'A\r\nB\tC'));

/** Sorted as the export sorts: by the bytes. */
function inOrder(texts: readonly string[]): string[] {
  return texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Map(texts.map((text) => [text.toLowerCase().toUpperCase().toLowerCase(), text])).values()];
}

/** Rows of all kinds, as the export would write them. */
function makeRows(count: number): string[] {
  const sample = <T>(arbitrary: fc.Arbitrary<T>, size: number) => fc.sample(arbitrary, { numRuns: size, seed: 7 });
  const organisations = distinct(sample(visible, 60));
  const groupNames = distinct([...sample(visible, 60), 'planning']);
  const types = ['organisation', 'phase', 'quality_registry', 'team'];
  const names = sample(personName, count * 2);
  return Array.from({ length: count }, (_, index) => {
    const [first = '', last = ''] = names.slice(index * 2);
    const pick = (list: readonly string[], step: number) => list[(index * step) % list.length] ?? '';
    if (index % 3 === 0) {
      const unit = writeNames([pick(organisations, 1)]);
      return writeRecord([
        nextEmail(),
        'patient',
        index % 2 ? first : '',
        '',
        '',
        nextPersonnummer(),
        unit,
        '',
        'false',
      ]);
    }
    const units = inOrder(distinct([pick(organisations, 1), pick(organisations, 7)]));
    const groups = types.slice(index % 4).map((groupType) => {
      const name = groupType === 'phase' ? 'planning' : pick(groupNames, 5);
      return writeGroup({ name, groupType, isAdmin: index % 5 === 0, isShared: true });
    });
    const role = pick(['doctor', 'nurse', 'other'], 1);
    const cells = [nextEmail(), 'professional', first, last, role, '', writeNames(units), groups.join(';')];
    return writeRecord([...cells, String(index % 50 === 1)]);
  });
}

function assertSame(actual: string, expected: string): void {
  const at = [...actual].findIndex((_, index) => actual[index] !== expected[index]);
  assert.ok(
    actual === expected,
    `differs at ${at}: ${actual.slice(at - 80, at + 80)} / ${expected.slice(at - 80, at + 80)}`,
  );
}

test('the file: header, columns, content type, and who was in it is recorded', async () => {
  const identity = await startNode();
  const professional = await makeProfessional(identity, ['planning', 'analysis']);
  const patient = await makePatient(identity);
  const answer = await identity.app.inject({ url, headers: await identity.asAdmin() });
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8');
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="users.csv"');
  assert.equal(answer.headers['cache-control'], 'private, no-store');
  const [header, admin, nurse, sick, end] = answer.body.split('\r\n');
  assert.equal(header, HEADER);
  assert.equal(`${admin}\r\n`, ADMIN_ROW);
  assert.match(
    nurse ?? '',
    new RegExp(`^${professional.email},professional,Anna,Berg,nurse,,Care unit \\d+,analysis;planning,false$`),
  );
  assert.match(sick ?? '', new RegExp(`^${patient.email},patient,,,,${patient.personnummer},Care unit \\d+,,false$`));
  assert.equal(end, '');
  const { rows } = await identity.database.query<{ resource: string }>('SELECT resource FROM audit_event');
  const reads = rows
    .map((row) => JSON.parse(row.resource))
    .filter((event) => event.code.coding[0].code === 'patient.export');
  assert.deepEqual(
    reads.map((event) => event.patient.reference),
    [`Patient/${patient.answer.patient_guid}`],
  );
  assert.ok((await auditedEvents(identity)).includes('users.export'));
});

test('what a spreadsheet would run is made harmless', async () => {
  const identity = await startNode();
  await importUsers(
    identity,
    `${HEADER}\n${nextEmail()},professional,=1+1,@x,nurse,,'-unit,team:+x,\n`,
    '?create_missing=true',
  );
  const line = (await exportUsers(identity)).split('\r\n')[2] ?? '';
  assert.ok(line.endsWith(",professional,'=1+1,'@x,nurse,,'-unit,team:+x,false"), line);
});

test('round trip: export, empty system, import, export is the same to the byte', async () => {
  const document = `${HEADER}\r\n${ADMIN_ROW}${makeRows(1_200).join('')}`;
  const first = await startNode();
  const into = async (identity: Identity, text: string) => {
    const { body } = await importUsers(identity, text, '?create_missing=true');
    assert.deepEqual([body.created, body.skipped, body.errors], [1_200, 1, []]);
    return exportUsers(identity);
  };
  const exported = await into(first, document);
  assertSame(exported, document);
  const again = await into(await startNode(), exported);
  assertSame(again, exported);
  const { body } = await importUsers(first, exported);
  assert.deepEqual(body, { created: 0, skipped: 1_201, errors: [] });
});

test('without create_missing nothing that is missing is made', async () => {
  const identity = await startNode();
  const row = `${nextEmail()},professional,A,B,nurse,,"Söder, väst",team:x,`;
  const document = `${HEADER}\n${row.replace('"Söder, väst"', '"Söder, väst"')}\n`;
  const { body } = await importUsers(identity, document);
  assert.deepEqual([body.created, body.errors.length], [0, 2]);
});

test('a failure before the first byte is an error, one in the middle breaks the connection', async () => {
  const identity = await startNode();
  const rows = makeRows(900).filter((row) => row.includes(',patient,'));
  const made = await importUsers(
    identity,
    `${HEADER}\r\n${rows.join('')}${makeRows(600).join('')}`,
    '?create_missing=true',
  );
  assert.deepEqual(made.body.errors, []);
  const { app, database } = identity;
  await app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const ask = async () => fetch(`${origin}${url}`, { headers: await identity.asAdmin() });
  const spoil = (order: string) =>
    database.query(
      `UPDATE patient SET personnummer_sealed = '\\x00' WHERE user_guid = (SELECT user_guid FROM patient ORDER BY user_guid ${order} LIMIT 1)`,
    );
  const whole = await (await ask()).text();
  await spoil('DESC');
  const broken = await ask();
  assert.equal(broken.status, 200);
  await assert.rejects(broken.text());
  await spoil('ASC');
  const refused = await ask();
  assert.deepEqual([refused.status, Object(await refused.json()).error], [500, 'internal_error']);
  assert.equal([...createCsvReader().push(whole)].length, 902);
});
