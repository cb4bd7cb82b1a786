// The demo's load against a running system: everything arrives, a load that was cut off is continued, and a second one
// changes nothing. Part of the test file that goes on with the loaded data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, eventually } from '#test/support/http.ts';
import { observationsOf } from '../../demo/content/reports.ts';
import { REQUESTS, type TargetState } from '../../demo/content/requests.ts';
import { DEMO_COUNTS, type DemoOptions, loadDemo } from '../../demo/load.ts';
import type { DemoReport } from '../../demo/report.ts';

/** How many requests that are not archived have one of these fates. */
function countOf(...fates: readonly TargetState[]): number {
  return REQUESTS.filter(({ targetState: fate, isArchived }) => fates.includes(fate) && !isArchived).length;
}

const SUBJECT = { patientGuid: '', patientName: '', concepts: new Map(), now: 0 };

/** What the hosted providers report, and the one with its own system. */
function countObservations(): number {
  return REPORTED.reduce(
    (sum, { targetState: fate, plan }) => sum + observationsOf(plan, SUBJECT, fate === 'in_progress').length,
    0,
  );
}

const REPORTED = REQUESTS.filter(({ targetState: fate }) => fate === 'completed' || fate === 'in_progress');

const EXPECTED = {
  organisations: DEMO_COUNTS.organisations,
  /** Somebody names the leader. */
  undecidedApplicants: 1,
  undecidedMembers: 1,
  teams: DEMO_COUNTS.groups,
  concepts: DEMO_COUNTS.concepts,
  activities: DEMO_COUNTS.activities,
  goals: DEMO_COUNTS.goals,
  providers: DEMO_COUNTS.providers,
  /** Each provider, so that a decision of a patient about one is about no other. */
  recipients: DEMO_COUNTS.providers,
  contracts: DEMO_COUNTS.providers,
  plans: DEMO_COUNTS.plans,
  forms: DEMO_COUNTS.forms,
  careTeams: DEMO_COUNTS.careTeams,
  patients: DEMO_COUNTS.patients,
  carePlans: DEMO_COUNTS.requests,
  draft: countOf('draft'),
  active: countOf(
    ...(['active', 'matched', 'pushed', 'dead', 'blocked'] as const),
    ...(['acknowledged', 'accepted', 'in_progress', 'rejected'] as const),
  ),
  'on-hold': countOf('on-hold'),
  revoked: countOf('revoked'),
  completed: countOf('completed'),
  observations: countObservations(),
  answers: REPORTED.reduce((sum, { targetState: fate, forms }) => sum + (fate === 'completed' ? forms.length : 0), 0),
  deadLetters: countOf('dead'),
};

/** Loads the demo, and has its nurse report on a task. */
export function testLoading(options: DemoOptions): void {
  test('the demo is loaded once, whatever happens in between', async () => {
    const cutOff = new Error('the power went out');
    for (const at of [20, 100, 140]) {
      const onProgress = (done: number) => {
        if (done >= at) throw cutOff;
      };
      await assert.rejects(loadDemo({ ...options, onProgress }), cutOff);
    }
    const fractions: number[] = [];
    const report = await loadDemo({ ...options, onProgress: (done, total) => fractions.push(done / total) });
    assert.equal(fractions.at(-1), 1);
    assert.ok(report.accounts.length >= 6);
    assert.equal(report.suggestions.length, 7);
    await onlyWhoCaresHasLooked(options, report);
    await eventually('what cannot be delivered was a dead letter, and what was reported is stored', async () => {
      const { deadLetters, observations, answers } = await countEverything(options);
      const isThere = observations === EXPECTED.observations && answers === EXPECTED.answers;
      return (deadLetters === EXPECTED.deadLetters && isThere) || undefined;
    });
    const counts = await countEverything(options);
    assert.deepEqual(counts, EXPECTED);

    await loadDemo({ ...options, onProgress: () => assert.fail('there is nothing left to do') });
    assert.deepEqual(await countEverything(options), counts);
    await leaderHasSomethingToDecide(options, report);
    await nurseWorksInTheInbox(options, report);
  });
}

/** The patient's access log names those who planned and performed, and no administrator. */
async function onlyWhoCaresHasLooked({ identity, engine }: DemoOptions, { accounts }: DemoReport): Promise<void> {
  const patient = accounts.find(({ name }) => name === 'Margareta Nordin');
  const json = { email: patient?.email, password: patient?.password };
  const { token } = (await call(`${identity}/api/auth/login`, { json })).body;
  const entries = await eventually('the access log has the end of the request', async () => {
    const { data } = (await call(`${engine}/api/v1/access-log?lang=sv&per_page=200`, { token })).body;
    return data.some(({ what }: { what: string }) => what === 'Avslutade ett uppdrag') ? data : undefined;
  });
  const named = new Set(entries.flatMap(({ who }: { who: { name: string | null } }) => who.name ?? []));
  assert.deepEqual([...named].toSorted(), ['Erik Sandström', 'Sofia Bergman']);
}

/** The leader whom the demo prints has a team, and sees who asks to join and who names the leader. */
async function leaderHasSomethingToDecide({ identity }: DemoOptions, { accounts }: DemoReport): Promise<void> {
  const leader = accounts.find(({ name }) => name === 'Amina Yusuf');
  const json = { email: leader?.email, password: leader?.password };
  const { token } = (await call(`${identity}/api/auth/login`, { json })).body;
  const queue = (await call(`${identity}/api/groups/admin/decision-queue`, { token })).body;
  const found = queue.data.map((entry: { kind: string; may_decide: boolean }) => [entry.kind, entry.may_decide]);
  assert.deepEqual(found.sort(), [
    ['access_request', false],
    ['membership', true],
  ]);
  const { data } = (await call(`${identity}/api/groups/admin/groups`, { token })).body;
  assert.deepEqual(
    data.map(({ name, members, admins }: Record<string, unknown>) => [name, members, admins]),
    [['Diabetes- och sårteamet', 4, 1]],
  );
}

/** The nurse whom the demo prints takes the task that waits, and reports. */
async function nurseWorksInTheInbox({ identity, engine }: DemoOptions, { accounts }: DemoReport): Promise<void> {
  const nurse = accounts.find(({ name }) => name === 'Sofia Bergman');
  const json = { email: nurse?.email, password: nurse?.password };
  const { token } = (await call(`${identity}/api/auth/login`, { json })).body;
  const tasks = `${engine}/api/v1/provider-tasks`;
  const [task] = (await call(`${tasks}/my?status=received`, { token })).body.data;
  const at = `${tasks}/${task.receipt_token}`;
  const taken = await call(`${at}/accept`, { method: 'POST', token });
  assert.deepEqual([taken.status, taken.body.accepted_by.name], [200, 'Sofia Bergman']);
  const reported = await call(`${at}/report`, { token, json: { status: 'partial', note: 'Vägd' } });
  assert.deepEqual([reported.body.task.status, reported.body.task.reported_by.name], ['in_progress', 'Sofia Bergman']);
}

async function countEverything({ identity, engine, dispatch, admin }: DemoOptions) {
  const token = (await call(`${identity}/api/auth/login`, { json: admin })).body.token;
  const total = async (url: string) => (await call(url, { token })).body.total;
  const length = async (url: string) => (await call(url, { token })).body.length;
  const atEngine = (path: string) => total(`${engine}/api/v1/${path}`);
  const atDispatch = (path: string) => total(`${dispatch}/api/v1/${path}`);
  const requests = (status: string) => atDispatch(`ServiceRequest?status=${status}`);
  return {
    organisations: await length(`${identity}/api/admin/organisations`),
    undecidedApplicants: await length(`${identity}/api/admin/access-requests`),
    undecidedMembers: await length(`${identity}/api/groups/admin/pending`),
    teams: await total(`${identity}/api/groups/admin/groups?group_type=team`),
    concepts: await atEngine('concepts'),
    activities: await atEngine('activities'),
    goals: await atEngine('goals'),
    providers: await atEngine('providers'),
    recipients: await atDispatch('Organization'),
    contracts: await atEngine('contracts'),
    plans: await atEngine('PlanDefinition'),
    forms: await atEngine('Questionnaire'),
    careTeams: await atEngine('CareTeam'),
    patients: await atDispatch('Patient'),
    carePlans: await atDispatch('CarePlan'),
    draft: await requests('draft'),
    active: await requests('active'),
    'on-hold': await requests('on-hold'),
    revoked: await requests('revoked'),
    completed: await requests('completed'),
    observations: await atEngine('Observation'),
    answers: await atEngine('QuestionnaireResponse'),
    deadLetters: await atDispatch('dead-letters'),
  };
}
