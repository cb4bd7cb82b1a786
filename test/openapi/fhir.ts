// Calls of the FHIR addresses that the contract names; those of Patient stand for every type.
import type { Recorder } from './recorder.ts';

const as = 'planner';
const bodyType = 'application/fhir+json';
const PERSON = {
  resourceType: 'Patient',
  name: [{ family: 'Berg', given: ['Maj'] }],
  gender: 'female',
  birthDate: '1950-02-03',
};

export async function fhir(recorder: Recorder): Promise<void> {
  const { example } = recorder;
  const made = await example('POST /Patient', { as, body: PERSON, bodyType, status: 201 });
  const parameters = { id: String(made.body.id) };
  await example('GET /Patient', { as, parameters: { name: 'berg', gender: 'female', birthdate: '1950-02-03' } });
  await example('GET /Patient/{id}', { as, parameters });
  await example('PUT /Patient/{id}', { as, parameters, body: { ...PERSON, ...parameters, active: true }, bodyType });
  const operations = [{ op: 'replace', path: '/active', value: false }];
  await example('PATCH /Patient/{id}', { as, parameters, body: operations, bodyType: 'application/json-patch+json' });
  await example('GET /Patient/{id}/_history', { as, parameters: { ...parameters, _count: '1' } });
  await example('GET /Patient/{id}/_history/{version}', { as, parameters: { ...parameters, version: '1' } });
  await example('GET /Patient/_history', { as, parameters: { _count: '1' } });
  await instanceOperations(recorder, parameters);
  await bundles(recorder);
  await conditions(recorder);
  await example('DELETE /Patient/{id}', { as, parameters, status: 204 });
}

async function instanceOperations({ example }: Recorder, parameters: { readonly id: string }): Promise<void> {
  const one = '/Patient/{id}';
  const tag = [{ system: 'https://example.org/tags', code: 'checked' }];
  const meta = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { tag } }] };
  await example(`GET ${one}/$meta`, { as, parameters });
  await example(`POST ${one}/$meta-add`, { as, parameters, body: meta, bodyType });
  await example(`POST ${one}/$meta-delete`, { as, parameters, body: meta, bodyType });
  await example(`GET ${one}/$everything`, { as, parameters });
  const nothing = { resourceType: 'Parameters' };
  await example(`POST ${one}/$everything`, { as, parameters, body: nothing, bodyType });
  await example(`GET ${one}/$validate`, { as, parameters });
  const changed = { ...PERSON, ...parameters, gender: 'unheard-of' };
  await example(`POST ${one}/$validate`, { as, parameters, body: changed, bodyType });
  await example('POST /$validate', { as, body: PERSON, bodyType });
}

async function bundles({ example }: Recorder): Promise<void> {
  const entry = [{ resource: PERSON, request: { method: 'POST', url: 'Patient' } }];
  for (const type of ['batch', 'transaction']) {
    await example(`POST /$${type}`, { as, body: { resourceType: 'Bundle', type, entry }, bodyType });
  }
  // It describes all types.
  await example('GET /metadata', { varies: { rest: [{ mode: 'server' }] } });
}

async function conditions({ example }: Recorder): Promise<void> {
  const form = {
    bodyType: 'application/x-www-form-urlencoded',
    body: 'family=berg&_count=1',
    shownBody: { family: 'berg', _count: '1' },
  };
  await example('POST /Patient/_search', { as, ...form });
  const system = 'https://example.org/ids';
  const identified = { ...PERSON, identifier: [{ system, value: '7' }] };
  const parameters = { identifier: `${system}|7` };
  await example('PUT /Patient', { as, parameters, body: identified, bodyType, status: 201 });
  const body = [{ op: 'replace', path: '/gender', value: 'other' }];
  await example('PATCH /Patient', { as, parameters, body, bodyType: 'application/json-patch+json' });
  await example('DELETE /Patient', { as, parameters, status: 204 });
}
