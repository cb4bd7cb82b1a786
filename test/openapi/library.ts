// Calls of the library: lookup tables, concepts, activities, transactions, goals and plans.
import type { Recorder } from './recorder.ts';

export interface LibraryGuids {
  readonly concept: string;
  readonly activity: string;
}

const as = 'planner';

export async function library({ example }: Recorder): Promise<LibraryGuids> {
  const tables = await lookupTables({ example });
  const weight = {
    canonical_lib: tables.lib,
    concept_name: 'Body weight',
    concept_code: 'weight',
    response_type: tables.response,
  };
  const concept = (await example('POST /concepts', { as, body: weight, status: 201 })).body.concept_guid;
  await example('POST /concepts', { as, body: weight, status: 409, summary: 'a code that is taken' });
  await example('POST /concepts', { as, body: {}, status: 400, summary: 'fields that are missing' });
  await example('GET /concepts', { as, parameters: { search: 'weight', has_values: 'false', per_page: '10' } });
  await example('GET /concepts/{id}', { as, parameters: { id: concept } });
  const body = { ...weight, concept_display_text: 'Weight', concept_type: tables.type };
  await example('PUT /concepts/{id}', { as, parameters: { id: concept }, body });
  const activity = await activities({ example }, { concept, unit: tables.unit });
  await goals({ example }, { concept, unit: tables.unit, activity });
  await example('DELETE /concepts/{id}', { as, parameters: { id: concept }, status: 409, summary: 'in use' });
  const spare = { canonical_lib: tables.lib, concept_name: 'Height' };
  const height = await example('POST /concepts', { as, body: spare, status: 201, summary: 'as little as possible' });
  await example('DELETE /concepts/{id}', { as, parameters: { id: height.body.concept_guid }, status: 204 });
  return { concept, activity };
}

async function lookupTables({ example }: Pick<Recorder, 'example'>) {
  const table = async (path: string, key: string, body: object) => {
    const made = await example(`POST ${path}`, { as, body, status: 201 });
    const parameters = { id: String(made.body[key]) };
    await example(`GET ${path}`, { as, parameters: { search: 'o' } });
    await example(`GET ${path}/{id}`, { as, parameters });
    await example(`PUT ${path}/{id}`, { as, parameters, body: { ...body, description: 'Mended' } });
    return parameters.id;
  };
  const library = { name: 'Home care', url: 'https://example.org/codes', version: '1' };
  const lib = await table('/canonical-libs', 'canonical_lib_guid', library);
  const other = { ...library, version: '2' };
  const next = await example('POST /canonical-libs', { as, body: other, status: 201, summary: 'the next version' });
  const parameters = { id: next.body.canonical_lib_guid };
  await example('DELETE /canonical-libs/{id}', { as, parameters, status: 204 });
  return {
    lib,
    type: await table('/concept-types', 'concept_type_guid', { name: 'Measurement of a person' }),
    response: await table('/response-types', 'response_type_guid', { name: 'Amount, a number', fhir_type: 'Quantity' }),
    unit: await table('/units', 'unit_guid', { name: 'kilogram or kilo', ucum_code: 'kg' }),
  };
}

async function activities(
  { example }: Pick<Recorder, 'example'>,
  { concept, unit }: { concept: string; unit: string },
): Promise<string> {
  const body = { name: 'Weighing', concept };
  const made = await example('POST /activities', { as, body, status: 201 });
  const parameters = { id: String(made.body.activity_guid) };
  const transaction = {
    name: 'Weight in the morning',
    concept,
    unit,
    timing: { frequency: 1, period: 1, periodUnit: 'd', when: ['MORN'] },
    required: true,
  };
  const add = { as, parameters, body: transaction, status: 201 };
  const added = await example('POST /activities/{id}/transactions', add);
  const its = { id: String(added.body.transaction_guid) };
  await example('PUT /transactions/{id}', { as, parameters: its, body: { ...transaction, position: 2 } });
  const spare = await example('POST /activities/{id}/transactions', {
    ...add,
    body: { name: 'Weight', concept },
    summary: 'as little as possible',
  });
  const other = { id: spare.body.transaction_guid };
  await example('DELETE /transactions/{id}', { as, parameters: other, status: 204 });
  await example('PUT /activities/{id}', { as, parameters, body: { ...body, description: 'On an empty stomach' } });
  await example('GET /activities', { as, parameters: { search: 'weigh', status: 'active' } });
  await example('GET /activities/{id}', { as, parameters });
  await example('GET /activities/{id}/fhir', { as, parameters });
  const retired = { name: 'Pulse', concept, status: 'retired' };
  const pulse = await example('POST /activities', { as, body: retired, status: 201, summary: 'retired' });
  await example('DELETE /activities/{id}', { as, parameters: { id: pulse.body.activity_guid }, status: 204 });
  return parameters.id;
}

async function goals(
  { example }: Pick<Recorder, 'example'>,
  { concept, unit, activity }: { concept: string; unit: string; activity: string },
): Promise<void> {
  const body = {
    name: 'Stable weight',
    concept,
    target: { comparator: '<=', value: 80.5, unit },
    due: { value: 12, unit: 'wk' },
    activities: [activity],
  };
  const goal = (await example('POST /goals', { as, body, status: 201 })).body.goal_guid;
  await example('GET /goals', { as, parameters: { activity } });
  await example('GET /goals/{id}', { as, parameters: { id: goal } });
  const range = { ...body, target: { low: 75, high: 80.5, unit } };
  await example('PUT /goals/{id}', { as, parameters: { id: goal }, body: range, summary: 'a range' });
  const plan = { title: 'Heart failure', activities: [activity], goals: [goal] };
  await example('POST /plan-definitions', { as, body: plan, status: 201 });
  await example('DELETE /goals/{id}', { as, parameters: { id: goal }, status: 204 });
}
