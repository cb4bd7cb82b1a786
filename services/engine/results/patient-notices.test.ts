// What patients report by FHIR is told to dispatch (docs/adr/0070, docs/adr/0072): in every way to write it, not when
// it is rolled back or written by others, many values as one notice, and again while dispatch is away.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PatientReportNotice } from '#clients/dispatch-client.ts';
import { ServiceError } from '#lib/errors.ts';
import { ORGANISATION, PATIENT, startTestEngine } from '#test/support/engine/engine.ts';
import { playDispatch } from '#test/support/engine/engine-dispatch.ts';
import { bundle, entry, patchOf, pulse, subject } from '#test/support/fhir/report-samples.ts';
import { eventually } from '#test/support/http.ts';
import { makePrincipal } from '#test/support/http-app.ts';

const OTHER_RECORD = '01900000-0000-7000-8000-0000000000b7';
const told: PatientReportNotice[] = [];
let isAway = false;
/** The code with which dispatch refuses what it does not know. */
let refuses: (notices: readonly PatientReportNotice[]) => string | undefined = () => undefined;
const {
  call,
  clock,
  engine,
  database: db,
} = await startTestEngine(
  { after },
  {
    callers: {
      linked: makePrincipal(['patient'], {
        patientGuid: PATIENT,
        linkedRecords: { engine: [], dispatch: [OTHER_RECORD] },
      }),
    },
    dispatch: {
      ...playDispatch().client,
      async noticeReports(notices) {
        if (isAway) throw new ServiceError('upstream_unavailable', 'Dispatch is away in this test');
        const code = refuses(notices);
        if (code !== undefined) return { kind: 'refused', code };
        told.push(...notices);
        return { kind: 'done' };
      },
    },
  },
);

const waiting = async () => {
  const { rows } = await db.query<{ waiting: number }>('SELECT count(*) AS waiting FROM patient_report_notice');
  return Number(rows[0]?.waiting);
};
const NOTICE = { patient_ids: [PATIENT], organisation_guid: ORGANISATION, resource_type: 'Observation', based_on: [] };

before(async () => {
  const made = await call('planner', 'PUT', `/Patient/${PATIENT}`, { resourceType: 'Patient', id: PATIENT });
  assert.equal(made.status, 201, made.text);
});

test('every way to report leaves a notice with the report; what others write and what is rolled back does not', async () => {
  const expectWaiting = async (count: number, what: string) => assert.equal(await waiting(), count, what);
  const made = await call('patient', 'POST', '/Observation', pulse());
  assert.equal(made.status, 201, made.text);
  await expectWaiting(1, 'create');
  const address = `/Observation/${made.body.id}`;
  assert.equal((await call('patient', 'PUT', address, { ...made.body, status: 'amended' })).status, 200);
  await expectWaiting(2, 'update');
  const patch = entry('PATCH', address.slice(1), patchOf([{ op: 'replace', path: '/status', value: 'corrected' }]));
  const patched = await call('patient', 'POST', '', bundle('batch', patch));
  assert.equal(patched.body.entry[0].response.status, '200 OK', patched.text);
  await expectWaiting(3, 'patch');
  const several = [entry('POST', 'Observation', pulse()), entry('POST', 'Observation', pulse())];
  assert.equal((await call('patient', 'POST', '', bundle('transaction', ...several))).status, 200);
  await expectWaiting(5, 'transaction');
  assert.equal((await call('patient', 'POST', '', bundle('batch', ...several))).status, 200);
  await expectWaiting(7, 'batch');
  const broken = entry('POST', 'Observation', { ...pulse(), status: 'perhaps' });
  assert.ok((await call('patient', 'POST', '', bundle('transaction', ...several, broken))).status >= 400);
  assert.equal((await call('planner', 'POST', '/Observation', pulse(subject(PATIENT)))).status, 201);
  await expectWaiting(7, 'rolled back, and of staff');
  const answers = { resourceType: 'QuestionnaireResponse', status: 'completed', questionnaire: 'urn:example:form' };
  assert.equal((await call('linked', 'POST', '/QuestionnaireResponse', answers)).status, 201);
  await expectWaiting(8, 'answers');
});

test('dispatch is told once of what says the same, with the other ids of the person, and again after it was away', async () => {
  isAway = true;
  await engine.start();
  const postponed = async () =>
    (await db.query('SELECT FROM patient_report_notice WHERE attempt > 0 AND leased_until IS NULL')).rowCount;
  await eventually('the notices are postponed', async () => ((await postponed()) === 8 ? true : undefined));
  assert.deepEqual(told, []);
  isAway = false;
  clock.time += 120_000;
  engine.wake();
  await eventually('nothing waits', async () => ((await waiting()) === 0 ? true : undefined));
  assert.deepEqual(told, [
    NOTICE,
    { ...NOTICE, patient_ids: [PATIENT, OTHER_RECORD], resource_type: 'QuestionnaireResponse' },
  ]);
});

test('a report that is withdrawn leaves a notice that says so, in every way to do it; of nothing and of others none', async () => {
  const report = async (more: object = {}) => {
    const made = await call('patient', 'POST', '/Observation', pulse(more));
    assert.equal(made.status, 201, made.text);
    return made.body;
  };
  const withdrawn = async () => {
    const { rows } = await db.query<{ is_withdrawn: boolean; patient_ids: string[]; based_on: string[] }>(
      'DELETE FROM patient_report_notice RETURNING is_withdrawn, patient_ids, based_on',
    );
    return rows;
  };
  isAway = true;
  const kept = await report();
  const others = [];
  for (let made = 0; made < 5; made += 1) others.push(await report({ identifier: [{ value: `report-${made}` }] }));
  const [deleted, first, second, marked] = others;
  await withdrawn();
  const isOnce = async (what: string) => {
    const rows = await withdrawn();
    assert.deepEqual(rows, [{ is_withdrawn: true, patient_ids: [PATIENT], based_on: [] }], what);
  };
  assert.equal((await call('patient', 'DELETE', `/Observation/${deleted.id}`)).status, 204);
  await isOnce('DELETE');
  assert.equal((await call('patient', 'DELETE', `/Observation/${deleted.id}`)).status, 204);
  assert.deepEqual(await withdrawn(), [], 'again');
  const inBatch = bundle('batch', entry('DELETE', `Observation/${first.id}`));
  assert.equal((await call('patient', 'POST', '', inBatch)).body.entry[0].response.status, '204 No Content');
  await isOnce('batch');
  const together = bundle('transaction', entry('DELETE', `Observation/${second.id}`));
  assert.equal((await call('patient', 'POST', '', together)).status, 200);
  await isOnce('transaction');
  assert.equal((await call('patient', 'DELETE', '/Observation?identifier=report-4')).status, 204);
  await isOnce('by a condition');
  const wrong = { ...marked, status: 'entered-in-error' };
  assert.equal((await call('patient', 'PUT', `/Observation/${marked.id}`, wrong)).status, 200);
  await isOnce('entered in error');
  assert.equal((await call('patient', 'DELETE', `/Observation/${marked.id}`)).status, 204);
  assert.deepEqual(await withdrawn(), [], 'what was withdrawn already');
  await report({ status: 'entered-in-error' });
  assert.deepEqual(await withdrawn(), [], 'what was never reported');
  assert.equal((await call('admin', 'DELETE', `/Observation/${kept.id}`)).status, 204);
  assert.deepEqual(await withdrawn(), [], 'by an administrator');
  isAway = false;
});

test('what dispatch does not know yet is sent again for a day, and holds nothing else up', async () => {
  const isNew = (notices: readonly PatientReportNotice[]) => notices.some((each) => each.is_withdrawn === true);
  refuses = (notices) => (isNew(notices) ? 'validation_error' : undefined);
  told.length = 0;
  const made = await call('patient', 'POST', '/Observation', pulse());
  await call('patient', 'DELETE', `/Observation/${made.body.id}`);
  engine.wake();
  await eventually('the report is told', async () => (told.length === 1 && (await waiting()) === 1 ? true : undefined));
  assert.deepEqual(told, [NOTICE]);
  refuses = () => 'not_found';
  await call('patient', 'POST', '/Observation', pulse());
  const tried = async () =>
    (await db.query('SELECT FROM patient_report_notice WHERE attempt > 0 AND leased_until IS NULL')).rowCount;
  await eventually('both wait', async () => ((await tried()) === 2 ? true : undefined));
  refuses = () => undefined;
  clock.time += 120_000;
  engine.wake();
  await eventually('nothing waits', async () => ((await waiting()) === 0 ? true : undefined));
  assert.deepEqual(told.slice(1), [{ ...NOTICE, is_withdrawn: true }, NOTICE]);
  refuses = () => 'not_found';
  await call('patient', 'POST', '/Observation', pulse());
  await eventually('it waits', async () => ((await tried()) === 1 ? true : undefined));
  clock.time += 86_400_000;
  engine.wake();
  await eventually('it is given up', async () => ((await waiting()) === 0 ? true : undefined));
  assert.equal(told.length, 3);
});
