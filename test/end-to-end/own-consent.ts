// The patient decides about their own data (decision L3): the denial stands above what staff recorded, for the record
// that staff made, and its end gives way again.
import assert from 'node:assert/strict';
import { call } from './call.ts';
import type { Accounts, Addresses, Library } from './context.ts';
import { match, push, writeRequest } from './request.ts';

export async function patientDecides(addresses: Addresses, accounts: Accounts, library: Library): Promise<void> {
  const { dispatch } = addresses;
  const { patient, planner } = accounts;
  const request = await writeRequest(addresses, accounts, library);
  await match(addresses, accounts, request.id);
  const arrived = addresses.receiver.ledger.length;
  const preview = await call(`${dispatch}/own-consents/preview`, { token: patient, json: { decision: 'deny' } });
  const seen = preview.body.affected.filter(
    (each: { service_request_id: string }) => each.service_request_id === request.id,
  );
  assert.equal(seen.length, 2, 'both providers would not be sent anything');
  const denial = (await call(`${dispatch}/own-consents`, { token: patient, json: { decision: 'deny' }, expect: 201 }))
    .body;
  const refused = await push(addresses, accounts, request.id, 403);
  assert.match(JSON.stringify(refused), /consent_denied/);
  const shown = await call(`${dispatch}/Consent/${denial.consent_guid}`, { token: planner });
  assert.deepEqual(shown.body.meta.tag[0].code, 'patient-decided');
  const changed = {
    method: 'PUT',
    token: planner,
    json: { ...shown.body, meta: undefined, status: 'inactive' },
  } as const;
  const stays = { ...changed, json: { ...changed.json, subject: { reference: `Patient/${accounts.patientGuid}` } } };
  await call(`${dispatch}/Consent/${denial.consent_guid}`, { ...stays, expect: 403 });
  await call(`${dispatch}/own-consents/${denial.consent_guid}/end`, { method: 'POST', token: patient });
  assert.equal(addresses.receiver.ledger.length, arrived, 'nothing was sent meanwhile');
  await call(`${dispatch}/ServiceRequest/${request.id}/revoke`, { method: 'POST', token: planner });
}
