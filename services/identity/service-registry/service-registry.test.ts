// The service registry (contract: identity, Admin; decision I14).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { startIdentity } from '#test/support/identity/identity.ts';
import { auditedEvents } from '#test/support/identity/identity-people.ts';
import { fifty } from '#test/support/system/at-once.ts';
import { COLUMNS, readCsv, writeCsv } from './csv.ts';

const identity = await startIdentity({ after });
const { app } = identity;
const admin = await identity.asAdmin();
const url = '/api/admin/oath-overview';

const rowOf = (service_name: string, notes = '') => ({
  service_name,
  service_url: 'https://engine.example.org',
  api_health_url: 'https://engine.example.org/health',
  capability_statement_url: 'https://engine.example.org/metadata',
  endpoints_url: 'https://engine.example.org/openapi.json',
  privilege_level: 'internal',
  notes,
});
const get = (accept?: string) =>
  app.inject({ url, headers: { ...admin, ...(accept === undefined ? {} : { accept }) } });
const put = (payload: object) => app.inject({ method: 'PUT', url, headers: admin, payload });

test('it is empty at first; PUT returns the rows, and GET returns them again, in order', async () => {
  assert.deepEqual([(await get()).statusCode, (await get()).json()], [200, []]);
  const rows = [rowOf('engine', 'a "quoted", text\r\nof two lines'), rowOf('=SUM(A1)', "'-"), rowOf('å', '')];
  const answer = await put(rows);
  assert.deepEqual([answer.statusCode, answer.json()], [200, rows]);
  assert.deepEqual((await get()).json(), rows);
  assert.ok((await auditedEvents(identity)).includes('service-registry.replace'));
});

test('Accept: text/csv answers the file, with formulas made harmless', async () => {
  await put([rowOf('=1+1', 'a,b')]);
  const answer = await get('text/csv');
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8');
  assert.match(String(answer.headers['content-disposition']), /filename="oath_overview\.csv"/);
  const [header, line, end] = answer.body.split('\r\n');
  assert.equal(header, COLUMNS.join(','));
  assert.ok(line?.startsWith("'=1+1,https://") && line.endsWith(',"a,b"'));
  assert.equal(end, '');
  assert.match(String((await get('application/json, text/csv')).headers['content-type']), /^application\/json/);
  assert.match(String((await get('text/csv;q=0, */*')).headers['content-type']), /^application\/json/);
});

test('with If-Match a change of somebody else is not overwritten: 412, and one of many at once is made', async () => {
  await put([rowOf('first')]);
  const tag = String((await get()).headers['etag']);
  const change = (name: string, known: string) =>
    app.inject({ method: 'PUT', url, headers: { ...admin, 'if-match': known }, payload: [rowOf(name)] });
  const answers = await Promise.all(['a', 'b', 'c'].map((name) => change(name, tag)));
  assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 412, 412]);
  assert.equal((await change('late', tag)).json().error, 'precondition_failed');
  assert.equal((await change('again', String((await get()).headers['etag']))).statusCode, 200);
  assert.deepEqual((await get()).json()[0].service_name, 'again');
});

test('one bad row refuses all: every error is named and nothing changes', async () => {
  const rows = [rowOf('kept')];
  await put(rows);
  const { notes: _, ...short } = rowOf('short');
  const refused = await put([rowOf('new'), short, { ...rowOf('x'), colour: 'red' }, { ...rowOf('y'), notes: 7 }]);
  assert.deepEqual([refused.statusCode, refused.json().error], [400, 'validation_error']);
  assert.equal(refused.json().messages.length, 3);
  assert.equal((await put([rowOf('a\u0000b')])).statusCode, 400);
  assert.equal((await put(rowOf('no array'))).statusCode, 400);
  assert.deepEqual((await get()).json(), rows);
});

test('50 replacements at once: one of them whole is what stays', async () => {
  const rowsOf = (index: number) => [rowOf(`first ${index}`), rowOf(`second ${index}`)];
  const answers = await fifty((index) => put(rowsOf(index)));
  assert.ok(answers.every((answer) => answer.statusCode === 200));
  const kept = (await get()).json();
  assert.deepEqual(kept, rowsOf(Number(kept[0].service_name.slice('first '.length))));
});

test('whatever is written as CSV is read again as the same rows', () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^['"=,\r\n@-]{0,6}$/));
  const row = fc.record({
    service_name: cell,
    service_url: cell,
    api_health_url: cell,
    capability_statement_url: cell,
    endpoints_url: cell,
    privilege_level: cell,
    notes: cell,
  });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), (rows) =>
      assert.deepEqual(
        readCsv(writeCsv(rows)),
        rows.map((each) => ({ ...each })),
      ),
    ),
  );
});
