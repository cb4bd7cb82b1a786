// Calls about providers, their contracts, and the tasks in their inboxes.
import { signWebhook } from '#lib/webhook/signature.ts';
import { OTHER_ORGANISATION } from '#test/support/engine/engine.ts';
import { makeRequest, type TestInbox } from '#test/support/engine/engine-inbox.ts';
import type { Recorder } from './recorder.ts';

const as = 'admin';
const CODES = [{ system: 'https://example.org/codes', code: 'weight' }];

export async function providers({ example }: Recorder): Promise<void> {
  const body = { name: 'Hemvården Lund', region: 'Skåne' };
  const made = await example('POST /providers', { as, body, status: 201 });
  const parameters = { id: String(made.body.provider_guid) };
  await example('GET /providers', { as: 'planner', parameters: { search: 'lund', region: 'Skåne' } });
  await example('GET /providers/{id}', { as: 'planner', parameters });
  await example('GET /provider-directory', { as: 'patient', parameters: { search: 'hemv skåne' } });
  await example('PUT /providers/{id}', { as, parameters, body: { ...body, status: 'active' } });
  await example('PUT /providers/{id}/inbox', { as, parameters, body: { enabled: true } });
  const contract = { provider_guid: parameters.id, codes: CODES, region: 'Skåne', valid_from: '2026-01-01' };
  const agreed = await example('POST /contracts', { as, body: contract, status: 201 });
  const its = { id: String(agreed.body.contract_guid) };
  await example('GET /contracts', { as: 'planner', parameters: { provider_guid: parameters.id } });
  await example('GET /contracts/{id}', { as: 'planner', parameters: its });
  await example('PUT /contracts/{id}', { as, parameters: its, body: { ...contract, valid_to: '2027-12-31' } });
  const question = { codes: CODES, date: '2026-06-01', region: 'Skåne' };
  await example('POST /contracts/match', { as: 'planner', body: question });
  await example('DELETE /contracts/{id}', { as, parameters: its, status: 204 });
}

/** Whose definitions and entries of the library are. */
export async function owners({ example }: Recorder): Promise<void> {
  const resource = { resourceType: 'Questionnaire', id: 'daily-check', status: 'active', title: 'Daily check' };
  await example('PUT /Questionnaire/{id}', {
    as: 'planner',
    parameters: { id: resource.id },
    body: resource,
    status: 201,
  });
  const parameters = { type: 'Questionnaire', id: resource.id };
  await example('GET /owners/{type}/{id}', { as: 'planner', parameters });
  await example('PUT /owners/{type}/{id}', { as, parameters, body: { organisation_guid: OTHER_ORGANISATION } });
  const caller = { kind: 'user', guid: '01900000-0000-7000-8000-0000000000d1' };
  const body = { caller, resource_type: 'Questionnaire', id: resource.id };
  await example('POST /access-checks', { as, body });
}

const OBSERVATION = {
  resourceType: 'Observation',
  status: 'final',
  code: { coding: CODES },
  valueQuantity: { value: 80.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
};

export async function tasks({ example, show }: Recorder, inbox: TestInbox): Promise<void> {
  const { message, token } = makeRequest();
  const shown = 'r'.repeat(43);
  show(token, shown);
  await webhook({ example }, inbox, message);
  const parameters = { receipt_token: token };
  await example('GET /provider-tasks', { as, parameters: { status: 'received' } });
  await example('GET /provider-tasks/my', { as: 'provider' });
  await example('GET /provider-tasks/my/counts', { as: 'provider' });
  await example('GET /provider-tasks/{receipt_token}', { parameters });
  await example('POST /provider-tasks/{receipt_token}/accept', { parameters });
  await example('GET /provider-tasks/{receipt_token}/careplan-details', { parameters });
  const body = { status: 'final', note: 'All well', observations: [OBSERVATION] };
  await example('POST /provider-tasks/{receipt_token}/report', { parameters, body });
  await example('GET /provider-tasks/{receipt_token}/reports', { parameters });
  const own = await inbox.push();
  const named = { receipt_token: own.requestGuid };
  await example('POST /provider-tasks/{receipt_token}/accept', { as: 'nurse', parameters: named, summary: 'by staff' });
  await example('POST /provider-tasks/{receipt_token}/take-over', { as: 'colleague', parameters: named });
  const other = await inbox.push();
  show(other.token, 's'.repeat(43));
  const refusal = { parameters: { receipt_token: other.token }, body: { reason: 'No room this week' } };
  await example('POST /provider-tasks/{receipt_token}/reject', refusal);
  // What is sent is counted while it goes on its way.
  const varies = { outbox: { waiting: 0, refused: 0, oldest_at: null, most_attempts: 0 } };
  await example('GET /provider-tasks/debug', { as, varies });
}

/** A webhook as dispatch signs it. */
async function webhook(
  { example }: Pick<Recorder, 'example'>,
  { provider, dispatch, clock }: TestInbox,
  { type, data }: { readonly type: string; readonly data: object },
): Promise<void> {
  const timestamp = new Date(clock.time).toISOString();
  const body = JSON.stringify({ type, timestamp, data });
  const secret = dispatch.secrets.get(provider) ?? '';
  const signed = { id: 'message-1', timestampSeconds: Math.floor(clock.time / 1000), body };
  await example('POST /provider-tasks/inbox', {
    parameters: { provider_guid: provider },
    headers: { ...signWebhook(signed, [secret]) },
    body: JSON.parse(body),
    status: 204,
  });
}
