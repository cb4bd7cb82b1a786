// Operators and integrators: a key bound to an organisation, and the readiness and the state of the services at the
// gateway. A library generates a client from the published documents.
import assert from 'node:assert/strict';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import { eventually, call as send } from '#test/support/http.ts';
import { makeOrganisation } from '../accounts.ts';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { PAUSE_MS } from '../people.ts';

export async function integratorsConnect(story: Story): Promise<void> {
  const { walk } = story;
  await walk('A6', () => keyReadsWhatStaffRead(story));
  await walk('A7', () => gatewaySpeaksForTheServices(story));
  await walk('A8', () => generatedClientCalls(story));
}

async function keyReadsWhatStaffRead({ addresses, accounts, secrets }: Story): Promise<void> {
  const { engine, dispatch } = addresses;
  const scopes = ['system/Patient.rs', 'system/CarePlan.rs', 'system/Observation.rs'];
  const make = async (organisation: string) => {
    const json = { name: 'Journal', scopes, organisation_guid: organisation };
    const { body } = await call(`${engine}/api-keys`, { token: accounts.admin, json, expect: 201 });
    secrets.add(body.key);
    return body;
  };
  const made = await make(accounts.organisationGuid);
  assert.match(made.reads, new RegExp(`What the staff of the organisation ${accounts.organisationGuid} read`));
  const apiKey = String(made.key);
  const patient = `${dispatch}/Patient/${accounts.patientGuid}`;
  await call(patient, { apiKey });
  const plans = `${dispatch}/CarePlan?patient_guid=${accounts.patientGuid}&_summary=count`;
  assert.ok((await call(plans, { apiKey })).body.total > 0);
  assert.ok((await call(`${engine}/Observation?_summary=count`, { apiKey })).body.total > 0);
  await call(`${dispatch}/Consent`, { apiKey, expect: 403 });
  const other = await make(await makeOrganisation(addresses, accounts.admin, 'Region Mitt'));
  await call(patient, { apiKey: other.key, expect: 404 });
  await call(`${engine}/api-keys/${other.key_guid}`, { token: accounts.admin, method: 'DELETE' });
  await call(`${engine}/Patient`, { apiKey: other.key, expect: 401 });
}

async function gatewaySpeaksForTheServices({ addresses }: Story): Promise<void> {
  const { gateway } = addresses;
  await call(`${gateway}/readyz`, { expect: 200 });
  const page = await call(`${gateway}/status?lang=sv`);
  for (const name of ['identity', 'dispatch', 'engine']) {
    assert.match(page.text, new RegExp(`<th scope="row">${name}</th>.*?<td>Fungerar</td>`, 's'));
  }
  await call(`${gateway}/dispatch/metrics`, { expect: 404 });
}

/** Once requests would no longer wait for a node of the service. */
export function gatewayNamesALostService({ addresses, walk }: Story, service: string): Promise<void> {
  return walk('A7', async () => {
    const { gateway } = addresses;
    const reasons = await eventually(
      `the gateway reported ${service}`,
      async () => {
        const response = await fetch(`${gateway}/readyz`);
        return response.status === 503 ? response.text() : void (await response.text());
      },
      20_000,
      PAUSE_MS,
    );
    assert.match(reasons, new RegExp(`${service}: it cannot be reached`));
    const page = await call(`${gateway}/status?lang=sv`);
    assert.match(page.text, new RegExp(`<th scope="row">${service}</th>.*?<td>Går inte att nå</td>`, 's'));
    assert.match(page.text, /<th scope="row">identity<\/th>.*?<td>Fungerar<\/td>/s);
  });
}

/** The client is made of the documents at the public address alone, and calls by operationId. */
async function generatedClientCalls({ addresses, accounts }: Story): Promise<void> {
  const { patientGuid: id } = accounts;
  for (const [service, path, operationId, parameters, expected] of [
    ['identity', '/api/auth/me', 'getAuthMe', {}, /karin\.lind@example\.org/i],
    ['dispatch', '/api/v1/Patient/{id}', 'readPatient', { id }, /"family":"Berg"/],
    ['engine', '/api/v1/concepts', 'getConcepts', { per_page: 1 }, /Kroppsvikt/],
  ] as const) {
    const root = `${addresses.gateway}/${service}`;
    // The examples in it are parts of resources, so they are not validated as resources.
    const document = (await send(`${root}/openapi.json`)).body;
    // The library resolves references for a minute where the document has all of R5.
    const definition = service === 'engine' ? { ...document, paths: { [path]: document.paths[path] } } : document;
    const client = new OpenAPIClientAxios({ definition, quick: true, withServer: { url: root } });
    await client.init();
    const request = client.getAxiosConfigForOperation(operationId, [parameters]);
    const headers = { authorization: `Bearer ${accounts.planner}` };
    const response = await client.client.request({ ...request, headers });
    assert.match(JSON.stringify(response.data), expected);
  }
}
