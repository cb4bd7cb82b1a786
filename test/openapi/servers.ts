// Calls that reach an external server, played by a second engine, and those that synchronise with it.
import { PATIENT, type TestEngine } from '#test/support/engine/engine.ts';
import { eventually } from '#test/support/http.ts';
import type { Recorder } from './recorder.ts';

const as = 'admin';
const SHOWN = 'https://fhir.example.org/r5';
const MEASURED = { latency_ms: 12, resource_types: 157 };
const PERSON = { resourceType: 'Patient', name: [{ family: 'Berg', given: ['Maj'] }], birthDate: '1950-02-03' };

export async function servers(recorder: Recorder, engine: TestEngine, address: string): Promise<void> {
  const { example, show } = recorder;
  for (const form of [String, encodeURIComponent]) show(form(address), form(SHOWN));
  const server = { name: 'region', url: address, auth: { type: 'bearer', token: 'admin' } };
  await example('POST /servers', { as, body: server, status: 201 });
  await example('POST /servers', { as, body: server, status: 409, summary: 'a name that is taken' });
  await example('GET /servers', { as, parameters: { kind: 'fhir' } });
  const parameters = { server_name: 'region' };
  await example('GET /servers/{server_name}', { as, parameters });
  await example('PUT /servers/{server_name}', { as, parameters, body: { ...server, timeout_ms: 60_000 } });
  await example('POST /servers/test', { as, body: { url: address, auth: server.auth }, varies: MEASURED });
  await example('GET /servers/test-all', { as, varies: MEASURED });
  await resources(recorder);
  await terminology(recorder, address);
  await example('GET /servers/status', { as, varies: { ...MEASURED, last_success_at: '2026-03-02T08:00:00.000Z' } });
  await synchronisations(recorder, engine);
  await example('DELETE /servers/{server_name}', { as, parameters, status: 204 });
}

async function resources({ example }: Recorder): Promise<void> {
  const parameters = { server_name: 'region', resource_type: 'Patient' };
  const made = await example('POST /servers/{server_name}/{resource_type}', {
    as,
    parameters,
    body: PERSON,
    bodyType: 'application/fhir+json',
    status: 201,
  });
  const one = { ...parameters, resource_id: String(made.body.id) };
  await example('GET /servers/{server_name}/{resource_type}/{resource_id}', { as, parameters: one });
  const body = { ...PERSON, id: one.resource_id, active: true };
  const put = { as, parameters: one, body, bodyType: 'application/fhir+json' };
  await example('PUT /servers/{server_name}/{resource_type}/{resource_id}', put);
  const search = { as, parameters: { ...parameters, family: 'berg' } };
  await example('GET /servers/{server_name}/search/{resource_type}', search);
  const { server_name } = parameters;
  const checked = { as, parameters: { server_name }, body: PERSON, bodyType: 'application/fhir+json' };
  await example('POST /servers/{server_name}/validate', checked);
  const entry = [{ request: { method: 'GET', url: `Patient/${one.resource_id}` } }];
  const batch = { server: 'region', bundle: { resourceType: 'Bundle', type: 'batch', entry } };
  await example('POST /batch', { as, body: batch });
}

async function terminology({ example }: Recorder, address: string): Promise<void> {
  const body = { name: 'codes', url: address, kind: 'terminology', auth: { type: 'bearer', token: 'admin' } };
  await example('POST /servers', { as, body, status: 201, summary: 'a terminology server' });
  const service_name = 'codes';
  const system = 'http://hl7.org/fhir/administrative-gender';
  const url = 'http://hl7.org/fhir/ValueSet/administrative-gender';
  const ask = (operation: string, parameters: Record<string, string>) =>
    example(`GET /terminology/{service_name}/${operation}`, { as, parameters: { service_name, ...parameters } });
  await ask('expand', { url, filter: 'fem' });
  await ask('lookup', { system, code: 'female' });
  await ask('validate-code', { url, system, code: 'female' });
}

async function synchronisations({ example }: Recorder, { engine, clock, call }: TestEngine): Promise<void> {
  const body = { server: 'region', resource_types: ['Patient'], direction: 'pull', dry_run: true };
  const started = await example('POST /synchronize', { as, body, status: 202 });
  const parameters = { job_guid: String(started.body.job_guid) };
  const address = 'GET /synchronize/{job_guid}';
  await example('POST /synchronize/{job_guid}/stop', { as, parameters });
  await example('POST /synchronize/{job_guid}/resume', { as, parameters });
  await engine.start();
  await eventually('the synchronisation had ended', async () => {
    clock.time += 500;
    engine.wake();
    const { body: job } = await call(as, 'GET', `/synchronize/${parameters.job_guid}`);
    return job.state === 'done' ? true : undefined;
  });
  // How far the clock was moved on depends on how fast the worker is.
  const varies = { updated_at: '2026-03-02T08:00:00.000Z', finished_at: '2026-03-02T08:00:00.000Z' };
  await example(address, { as, parameters, varies });
  await example('GET /synchronize', { as, parameters: { per_page: '10' }, varies });
  await example('GET /synchronize/{job_guid}/conflicts', { as, parameters });
  await example('DELETE /synchronize/{job_guid}', { as, parameters, status: 204 });
}

/** Someone who is at the external server alone. */
export const REMOTE = { resourceType: 'Patient', id: PATIENT, active: true };
