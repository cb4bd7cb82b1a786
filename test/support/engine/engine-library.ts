// Creates a small library for engine tests: the records that a heart failure plan needs.
import type { TestEngine } from './engine.ts';

export interface SampleLibrary {
  readonly lib: string;
  readonly quantity: string;
  readonly choice: string;
  readonly kilogram: string;
  readonly weight: string;
  readonly breath: string;
  readonly weighing: string;
  readonly question: string;
  readonly goal: string;
}

export const LIBRARY_URL = 'https://example.org/codes';

export async function makeLibrary({ call }: Pick<TestEngine, 'call'>): Promise<SampleLibrary> {
  const make = async (path: string, key: string, body: unknown): Promise<string> => {
    const answer = await call('planner', 'POST', path, body);
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return String(answer.body[key]);
  };
  const daily = { frequency: 1, period: 1, periodUnit: 'd' };
  const lib = await make('/canonical-libs', 'canonical_lib_guid', { name: 'Codes', url: LIBRARY_URL, version: '1' });
  const quantity = await make('/response-types', 'response_type_guid', { name: 'Number', fhir_type: 'Quantity' });
  const choice = await make('/response-types', 'response_type_guid', { name: 'Choice', fhir_type: 'CodeableConcept' });
  const kilogram = await make('/units', 'unit_guid', { name: 'kilogram', ucum_code: 'kg' });
  const weight = await make('/concepts', 'concept_guid', {
    canonical_lib: lib,
    concept_name: 'Body weight',
    concept_code: 'weight',
    response_type: quantity,
  });
  const breath = await make('/concepts', 'concept_guid', {
    canonical_lib: lib,
    concept_name: 'Breathlessness',
    response_type: choice,
    values: [
      { code: 'none', display: 'None' },
      { code: 'some', display: 'Some' },
    ],
  });
  const weighing = await make('/activities', 'activity_guid', { name: 'Weighing', concept: weight });
  await make(`/activities/${weighing}/transactions`, 'transaction_guid', {
    name: 'Weight in the morning',
    concept: weight,
    unit: kilogram,
    timing: { ...daily, when: ['MORN'] },
    required: true,
  });
  const question = await make('/activities', 'activity_guid', {
    name: 'Daily question',
    concept: breath,
    description: 'By phone',
  });
  await make(`/activities/${question}/transactions`, 'transaction_guid', {
    name: 'Breath',
    concept: breath,
    timing: daily,
  });
  await make(`/activities/${question}/transactions`, 'transaction_guid', {
    name: 'Weight',
    concept: weight,
    timing: daily,
  });
  const goal = await make('/goals', 'goal_guid', {
    name: 'Stable weight',
    description: 'No gain',
    concept: weight,
    target: { comparator: '<=', value: 80.5, unit: kilogram },
    due: { value: 12, unit: 'wk' },
    activities: [weighing],
  });
  return { lib, quantity, choice, kilogram, weight, breath, weighing, question, goal };
}
