// Dispatch’s workflow with bodies of megabytes: a plan and a form from the engine’s library go to the provider, and its
// results come back. Each step is one request, with the work that it starts.

import type { Accounts, Addresses, Library } from '#test/end-to-end/context.ts';
import { call, eventually } from '#test/support/http.ts';

const MEBIBYTE = 1024 * 1024;
/** Much less than the 10 MiB that may be sent, and enough to see what is done in one turn. */
const PLAN_BYTES = 1.5 * MEBIBYTE;
const FORM_BYTES = MEBIBYTE / 8;
const REQUEST_BYTES = MEBIBYTE / 2;

/** Plays a step under its name; answers what came of it. */
export type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export interface Scenario {
  readonly addresses: Addresses;
  readonly accounts: Accounts;
  readonly library: Library;
}

/** Of as many items as have so many bytes. */
function many<T>(bytes: number, make: (index: number) => T): T[] {
  const each = JSON.stringify(make(1)).length + 1;
  return Array.from({ length: Math.floor(bytes / each) }, (_, index) => make(index));
}

/** Each action with a definition of its own, each definition with what is to be observed. */
function planOf({ concept }: Library): object {
  const code = { coding: [{ ...concept, display: 'Kroppsvikt' }] };
  const parts = many(PLAN_BYTES, (index) => [
    { resourceType: 'ActivityDefinition', id: `a${index}`, status: 'active', title: 'Väg patienten', code },
    { id: `action-${index}`, title: 'Väg', code, definitionCanonical: `#a${index}` },
  ]);
  return {
    resourceType: 'PlanDefinition',
    id: 'freeze-plan',
    url: 'https://example.org/plans/freeze',
    version: '1',
    title: 'Stor plan',
    status: 'active',
    contained: parts.map(([definition]) => definition),
    action: parts.map(([, action]) => action),
  };
}

function formOf(): object {
  return {
    resourceType: 'Questionnaire',
    id: 'freeze-form',
    url: 'https://example.org/forms/freeze',
    title: 'Stort formulär',
    status: 'active',
    item: many(FORM_BYTES, (index) => ({ linkId: `i${index}`, text: 'Hur är andningen?', type: 'string' })),
  };
}

/** The whole way of a request. */
export async function playWorkflow({ addresses, accounts, library }: Scenario, step: Step): Promise<void> {
  const { engine, dispatch } = addresses;
  const asPlanner = { token: accounts.planner };
  const asProvider = { apiKey: library.outsideKey };
  await call(`${engine}/PlanDefinition/freeze-plan`, { token: accounts.admin, method: 'PUT', json: planOf(library) });
  await call(`${engine}/Questionnaire/freeze-form`, { token: accounts.admin, method: 'PUT', json: formOf() });
  const carePlan = {
    resourceType: 'CarePlan',
    status: 'active',
    intent: 'plan',
    subject: { reference: `Patient/${accounts.patientGuid}` },
    instantiatesCanonical: ['https://example.org/plans/freeze'],
    note: many(MEBIBYTE / 4, () => ({ text: 'åäö' })),
  };
  const planned = await step('a CarePlan from a plan of megabytes', () =>
    call(`${dispatch}/CarePlan`, { ...asPlanner, json: carePlan, expect: 201 }),
  );
  const guid = planned.body.id;
  await step('its context', () => call(`${dispatch}/careplans/${guid}/context`, asPlanner));
  await step('the CarePlan again', () =>
    call(`${dispatch}/CarePlan/${guid}`, { ...asPlanner, method: 'PUT', json: { ...carePlan, id: guid } }),
  );
  await step('a draft by the guid of the CarePlan', () =>
    call(`${dispatch}/ServiceRequest`, { ...asPlanner, json: { careplan_guid: guid }, expect: 201 }),
  );
  const request = {
    resourceType: 'ServiceRequest',
    status: 'draft',
    intent: 'order',
    subject: carePlan.subject,
    basedOn: [{ reference: `CarePlan/${guid}` }],
    supportingInfo: many(REQUEST_BYTES, (index) => ({ reference: { reference: `Observation/o${index}` } })),
  };
  const draft = await step('a draft of its own', () =>
    call(`${dispatch}/ServiceRequest`, { ...asPlanner, json: request, expect: 201 }),
  );
  const { id } = draft.body;
  const url = `${dispatch}/ServiceRequest/${id}`;
  const snapshot = await step('its snapshot', () => call(`${url}/snapshot`, asPlanner));
  await step('the snapshot again', () =>
    call(`${url}/snapshot`, { ...asPlanner, method: 'PUT', json: { ...snapshot.body, note: 'Ring först' } }),
  );
  await step('the catalogue of forms', () => call(`${dispatch}/Form`, asPlanner));
  await step('a form', () => call(`${dispatch}/Form/freeze-form`, asPlanner));
  await step('the form attached', () =>
    call(`${url}/forms`, { ...asPlanner, json: { form_guid: 'freeze-form' }, expect: 201 }),
  );
  await step('a list of its forms', () => call(`${url}/forms`, asPlanner));
  await step('finalize', () => call(`${url}/finalize`, { ...asPlanner, method: 'POST' }));
  await step('the request', () => call(url, asPlanner));
  await step('match', () => call(`${url}/match`, { ...asPlanner, method: 'POST' }));
  await step('hold', () => call(`${url}/hold`, { ...asPlanner, method: 'POST' }));
  await step('resume', () => call(`${url}/resume`, { ...asPlanner, method: 'POST' }));
  const pushed = await step('push, the webhook, and what receives it', () =>
    pushAndWait({ addresses, accounts, library }, url),
  );
  await step('the feed', () => call(`${dispatch}/requests?provider_guid=${library.outside}`, asProvider));
  await step('the page for a provider without a system', () =>
    openPage(addresses, accounts, { url, matchGuid: pushed.matchGuid }),
  );
  await step('the status of the work done', () =>
    call(`${dispatch}/requests/${pushed.requestGuid}/status`, {
      ...asProvider,
      method: 'PUT',
      json: { status: 'completed', note: 'x'.repeat(2000), results: [`${engine}/Observation/o1`] },
    }),
  );
  await step('archive', () => call(`${url}/archive`, { ...asPlanner, method: 'POST' }));
}

/** Pushed to all; the outside provider has its webhook and the hosted one its task. */
async function pushAndWait({ addresses, accounts, library }: Scenario, url: string) {
  const { body: matched } = await call(`${url}/matches`, { token: accounts.planner });
  const matches: { match_guid: string; provider_guid: string }[] = matched.data ?? matched.matches;
  const { body } = await call(`${url}/push`, { token: accounts.planner, json: { selection: 'first' }, expect: 202 });
  const requestOf = (provider: string): string => {
    const match = matches.find((each) => each.provider_guid === provider);
    return body.pushed.find((each: { match_guid: string }) => each.match_guid === match?.match_guid).request_guid;
  };
  const requestGuid = requestOf(library.outside);
  await eventually('the webhook arrived', async () =>
    addresses.receiver.ledger.find(({ event, isSigned }) => isSigned && event.data.request_guid === requestGuid),
  );
  const hosted = requestOf(library.hosted);
  await eventually('the task arrived', async () => {
    const { body: tasks } = await call(`${addresses.engine}/provider-tasks?per_page=200`, { token: accounts.admin });
    return tasks.data.find((task: { request_guid: string }) => task.request_guid === hosted);
  });
  const matchGuid = matches.find((each) => each.provider_guid === library.outside)?.match_guid ?? '';
  return { requestGuid, matchGuid };
}

async function openPage(
  addresses: Addresses,
  accounts: Accounts,
  { url, matchGuid }: { url: string; matchGuid: string },
) {
  const { body } = await call(`${url}/matches/${matchGuid}/link`, { token: accounts.planner, json: {} });
  const token = new URL(body.link).hash.slice(1);
  const answer = await fetch(`${new URL(addresses.dispatch).origin}/receipt`, {
    method: 'POST',
    body: new URLSearchParams({ token }),
  });
  await answer.text();
}
