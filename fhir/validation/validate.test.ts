// Validation as a whole: valid resources, all errors in one result, warnings, large resources.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processorMs } from '#test/support/processor-time.ts';
import { OBSERVATION, PATIENT, QUESTIONNAIRE, REQUEST, TRANSACTION } from './broken-resources.ts';
import { hasErrors, validateResource } from './validate.ts';

const GOOD = { PATIENT, OBSERVATION, REQUEST, QUESTIONNAIRE, TRANSACTION };

for (const [name, resource] of Object.entries(GOOD)) {
  test(`the unbroken ${name} is valid`, () => assert.deepEqual(validateResource(resource), []));
}

test('a value that is not an object, and a type other than the expected one, are refused', () => {
  for (const value of [null, undefined, 'a', 1, [PATIENT]]) assert.equal(validateResource(value)[0]?.code, 'structure');
  const issues = validateResource(PATIENT, { resourceType: 'Observation' });
  assert.deepEqual(
    issues.map(({ field }) => field),
    ['Patient.resourceType'],
  );
});

test('undefined members count as absent', () => {
  assert.deepEqual(
    validateResource({ ...PATIENT, gender: undefined, maritalStatus: undefined, surname: undefined }),
    [],
  );
});

test('all errors are in one result', () => {
  const issues = validateResource({ ...PATIENT, gender: 'x', birthDate: 'y', surname: 'z', name: [{ given: [1] }] });
  assert.deepEqual(issues.map(({ field }) => field).sort(), [
    'Patient.birthDate',
    'Patient.gender',
    'Patient.name[0].given[0]',
    'Patient.surname',
  ]);
});

test('messages hold no values of the resource', () => {
  const issues = validateResource({
    ...PATIENT,
    gender: 'SECRET',
    birthDate: 'SECRET',
    name: [{ period: { start: 'SECRET' } }],
  });
  assert.equal(issues.length, 3);
  assert.ok(!JSON.stringify(issues).includes('SECRET'));
});

test('advice is a warning and refuses nothing', () => {
  const issues = validateResource({ ...QUESTIONNAIRE, name: 'not a name' });
  assert.deepEqual(
    issues.map(({ field, severity }) => [field, severity]),
    [['Questionnaire', 'warning']],
  );
  assert.ok(!hasErrors(issues));
});

test('a plan of thousands of actions, with references by id, is checked fast', () => {
  const action = (index: number) => ({
    id: `a${index}`,
    goalId: ['g1'],
    relatedAction: [{ targetId: `b${index}`, relationship: 'after' }],
    action: [{ id: `b${index}`, title: 'b' }],
  });
  const plan = (actions: object[]) => ({
    resourceType: 'PlanDefinition',
    status: 'draft',
    goal: [{ id: 'g1', description: { text: 'Weigh less' } }],
    action: actions,
  });
  const actions = Array.from({ length: 5000 }, (_, index) => action(index));
  const before = processorMs();
  assert.deepEqual(validateResource(plan(actions)), []);
  assert.ok(processorMs() - before < 2000);
  const broken = plan([
    { ...action(1), relatedAction: [{ targetId: 'x', relationship: 'after' }], goalId: ['g1', 'x'] },
  ]);
  assert.deepEqual(
    validateResource(broken).map(({ field, severity, message }) => [field, severity, message.match(/\((.*)\)$/)?.[1]]),
    [
      ['PlanDefinition', 'warning', 'pld-3'],
      ['PlanDefinition', 'warning', 'pld-4'],
    ],
  );
});

test('a scenario of thousands of actors, instances and operations is checked fast', () => {
  const TYPE = { system: 'http://hl7.org/fhir/fhir-types', code: 'Patient' };
  const scenario = (count: number, changes: object = {}) => ({
    resourceType: 'ExampleScenario',
    status: 'draft',
    actor: Array.from({ length: count }, (_, i) => ({ key: `a${i}`, type: 'person', title: `Actor ${i}` })),
    instance: Array.from({ length: count }, (_, i) => ({
      key: `i${i}`,
      structureType: TYPE,
      title: `Instance ${i}`,
      version: [{ key: `v${i}`, title: `Version ${i}` }],
      containedInstance: [{ instanceReference: `i${i}`, versionReference: `v${i}` }],
    })),
    process: [
      {
        title: 'Process',
        step: Array.from({ length: count }, (_, i) => ({
          operation: {
            title: 'Ask',
            initiator: `a${i}`,
            receiver: 'OTHER',
            request: { instanceReference: `i${i}`, versionReference: `v${i}` },
          },
        })),
      },
    ],
    ...changes,
  });
  const rules = (resource: object) =>
    validateResource(resource).map(({ message }) => message.match(/\((exs-\d+)\)$/)?.[1] ?? message);
  const before = processorMs();
  assert.deepEqual(rules(scenario(2000)), []);
  assert.ok(processorMs() - before < 2000);
  const actor = (key: string) => ({ key, type: 'person', title: key });
  const step = (operation: object) => ({
    process: [{ title: 'P', step: [{ operation: { title: 'O', ...operation } }] }],
  });
  const request = { instanceReference: 'i0', versionReference: 'v0' };
  assert.deepEqual(rules(scenario(1, { actor: [actor('a0'), actor('b')] })), ['exs-19']);
  assert.deepEqual(rules(scenario(1, { actor: [actor('z')], ...step({ initiator: 'x', receiver: 'y', request }) })), [
    'exs-19',
    'exs-17',
    'exs-18',
  ]);
  assert.deepEqual(rules(scenario(1, step({ initiator: 'a0', receiver: 'OTHER' }))), ['exs-20', 'exs-21']);
  const containing = (containedInstance: object[]) => {
    const [instance] = scenario(1).instance;
    return rules(scenario(1, { instance: [{ ...instance, containedInstance }] }));
  };
  assert.deepEqual(containing([{ instanceReference: 'x' }]), ['exs-14']);
  assert.deepEqual(containing([{ instanceReference: 'i0' }]), ['exs-15']);
  assert.deepEqual(containing([{ instanceReference: 'i0', versionReference: 'x' }]), ['exs-16']);
});
