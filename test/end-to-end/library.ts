// The second part of the workflow. It is the library with its concepts, an activity with transactions, a goal, the
// published plan and a form. Then come the providers, their contracts and how they are reached.
import assert from 'node:assert/strict';
import { call } from './call.ts';
import type { Accounts, Addresses, Library } from './context.ts';

export async function fillLibrary(addresses: Addresses, accounts: Accounts): Promise<Library> {
  const post = async (path: string, json: unknown, token = accounts.planner) =>
    (await call(`${addresses.engine}${path}`, { token, json, expect: 201 })).body;
  const url = 'https://example.org/lib/heart';
  const library = await post('/canonical-libs', { name: 'Hjärta', url, version: '1', publisher: 'Region Norr' });
  const type = await post('/concept-types', { name: 'Mätning' });
  const quantity = await post('/response-types', { name: 'Mätvärde', fhir_type: 'Quantity' });
  const kilogram = await post('/units', { name: 'kilogram', ucum_code: 'kg' });
  const concept = await post('/concepts', {
    canonical_lib: library.canonical_lib_guid,
    concept_name: 'body-weight',
    concept_display_text: 'Kroppsvikt',
    concept_type: type.concept_type_guid,
    response_type: quantity.response_type_guid,
  });
  const activity = await post('/activities', {
    name: 'Väg patienten',
    concept: concept.concept_guid,
    status: 'active',
  });
  await post(`/activities/${activity.activity_guid}/transactions`, {
    name: 'Vikt varje morgon',
    concept: concept.concept_guid,
    response_type: quantity.response_type_guid,
    unit: kilogram.unit_guid,
    timing: { frequency: 1, period: 1, periodUnit: 'd' },
    required: true,
  });
  const goal = await post('/goals', {
    name: 'Vikt under 80 kg',
    concept: concept.concept_guid,
    target: { comparator: '<', value: 80, unit: kilogram.unit_guid },
    activities: [activity.activity_guid],
  });
  const plan = await post('/plan-definitions', {
    title: 'Hjärtsvikt',
    activities: [activity.activity_guid],
    goals: [goal.goal_guid],
  });
  const form = await post('/Questionnaire', makeForm());
  const code = await codeOfPlan(addresses, accounts, plan.plan_definition_id);
  assert.equal(code.system, url);
  const providers = await enlistProviders(addresses, accounts, code);
  return { planUrl: plan.url, planVersion: plan.version, formGuid: form.id, concept: code, ...providers };
}

/** The code of the plan's activity, as matching will ask for it. */
async function codeOfPlan(
  addresses: Addresses,
  accounts: Accounts,
  id: string,
): Promise<{ system: string; code: string }> {
  const { body } = await call(`${addresses.engine}/PlanDefinition/${id}`, { token: accounts.planner });
  const activity = body.contained.find(
    (resource: { resourceType: string }) => resource.resourceType === 'ActivityDefinition',
  );
  const { system, code } = activity.code.coding[0];
  return { system, code };
}

function makeForm(): object {
  return {
    resourceType: 'Questionnaire',
    url: 'https://example.org/forms/breathing',
    version: '1',
    title: 'Andning',
    status: 'active',
    subjectType: ['Patient'],
    item: [
      {
        linkId: 'breath',
        text: 'Hur är andningen?',
        type: 'coding',
        required: true,
        answerOption: [
          { valueCoding: { system: 'https://example.org/answers', code: 'good', display: 'Bra' } },
          { valueCoding: { system: 'https://example.org/answers', code: 'bad', display: 'Dålig' } },
        ],
      },
      {
        linkId: 'since',
        text: 'Sedan när?',
        type: 'date',
        enableWhen: [
          { question: 'breath', operator: '=', answerCoding: { system: 'https://example.org/answers', code: 'bad' } },
        ],
      },
    ],
  };
}

/** A provider with a contract for the code; answers its guid. */
export async function createProvider(
  { engine }: Addresses,
  { admin }: Accounts,
  { name, code }: { name: string; code: { system: string; code: string } },
): Promise<string> {
  const asAdmin = { token: admin };
  const provider = { name, region: 'norr', status: 'active' };
  const { body } = await call(`${engine}/providers`, { ...asAdmin, json: provider, expect: 201 });
  const contract = {
    provider_guid: body.provider_guid,
    codes: [code],
    valid_from: '2020-01-01',
    valid_to: '2099-12-31',
    status: 'active',
  };
  await call(`${engine}/contracts`, { ...asAdmin, json: contract, expect: 201 });
  return body.provider_guid;
}

async function enlistProviders(addresses: Addresses, accounts: Accounts, code: { system: string; code: string }) {
  const { engine, dispatch, receiver } = addresses;
  const asAdmin = { token: accounts.admin };
  const hosted = await createProvider(addresses, accounts, { name: 'Hemsjukvården Norr', code });
  const outside = await createProvider(addresses, accounts, { name: 'Distriktssköterskorna AB', code });
  await call(`${engine}/providers/${hosted}/inbox`, { ...asAdmin, method: 'PUT', json: { enabled: true } });
  const endpoint = { url: receiver.url, enabled: true };
  const registered = await call(`${dispatch}/providers/${outside}/endpoint`, {
    ...asAdmin,
    method: 'PUT',
    json: endpoint,
  });
  receiver.useSecret(registered.body.secret);
  const key = await call(`${engine}/api-keys`, {
    ...asAdmin,
    json: { name: 'Distriktssköterskorna', provider_guid: outside, scopes: [] },
    expect: 201,
  });
  return { hosted, outside, outsideKey: String(key.body.key) };
}
