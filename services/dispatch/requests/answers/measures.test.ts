// The form of a plan's measures (decision L8): units, what is possible, what is expected and by which definition, and
// the Observations of its answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeFormStep } from '#fhir/forms/html/form-steps.ts';
import { measureForm, measuresOf, observationsOf } from '#fhir/plans/measures.ts';
import { PLAN } from '../../testing/samples.ts';

const kilograms = { system: 'http://unitsofmeasure.org', code: 'kg', unit: 'kilogram' };

/** A ServiceRequest with the plan, whose only measure has these ranges. */
function requestWith(qualifiedValue: object[], goal: object[] = []) {
  const contained = PLAN.contained.map((resource) =>
    resource.resourceType === 'ObservationDefinition' ? { ...resource, qualifiedValue } : resource,
  );
  const plan = { ...PLAN, contained: undefined, goal, id: 'plan' };
  return { resourceType: 'ServiceRequest', contained: [plan, ...contained] };
}

function review(request: ReturnType<typeof requestWith>, weight: string) {
  const form = measureForm(measuresOf(request));
  assert.ok(form);
  const step = { form, kept: {}, sent: { 'f-0': [''], 'f-1-0': [weight] }, language: 'sv', page: 0 } as const;
  return takeFormStep({ ...step, go: 'next', timeZone: 'Europe/Stockholm' });
}

const warnings = (request: ReturnType<typeof requestWith>, weight: string) =>
  review(request, weight).issues.map(({ code, severity, values }) => [code, severity, values?.['limit']]);

const possible = { rangeCategory: 'absolute', range: { low: { value: 1 }, high: { value: 400.5 } } };
const usual = { rangeCategory: 'reference', range: { low: { value: 50 }, high: { value: 90 } } };

test('an impossible value is refused with the text at the field, an unusual one is to be confirmed', () => {
  const request = requestWith([usual, possible]);
  assert.deepEqual(warnings(request, '70'), []);
  assert.deepEqual(warnings(request, '90,1'), [['unusually_high', 'warning', '90 kilogram']]);
  assert.deepEqual(warnings(request, '49'), [['unusually_low', 'warning', '50 kilogram']]);
  assert.deepEqual(warnings(request, '401'), [['max_value', 'error', '400.5 kilogram']]);
  const refused = review(request, '401');
  assert.equal(refused.shows, 'page');
  assert.match(refused.content.markup, /id="f-1-0-error">Ange högst 400,5 kilogram\./);
  assert.match(refused.content.markup, /Mellan 1 och 400,5 kilogram\. Väntat värde: 50–90 kilogram\./);
});

test('without a reference range the goal about the same concept says what is expected', () => {
  const measure = PLAN.goal[0]?.target[0]?.measure;
  const goalOf = (detail: object) => [{ description: { text: 'Weight' }, target: [{ measure, ...detail }] }];
  const range = goalOf({ detailRange: { low: { value: 60, ...kilograms }, high: { value: 80, ...kilograms } } });
  assert.deepEqual(warnings(requestWith([], range), '81'), [['unusually_high', 'warning', '80 kilogram']]);
  const below = goalOf({ detailQuantity: { comparator: '<', value: 75, ...kilograms } });
  assert.deepEqual(warnings(requestWith([], below), '76'), [['unusually_high', 'warning', '75 kilogram']]);
  assert.deepEqual(
    warnings(requestWith([], goalOf({ detailQuantity: { value: 75, ...kilograms } })), '90'),
    [],
    'an aim',
  );
  assert.deepEqual(warnings(requestWith([usual], range), '85'), [], 'the reference range goes before the goal');
});

test('nothing is measured in the future, by the day and the hour of the zone of the page', () => {
  const form = measureForm(measuresOf(requestWith([])));
  assert.ok(form);
  const at = (date: string, time: string, now: string) => {
    const sent = { 'f-0': [date], 'f-0.time': [time], 'f-1-0': ['70'] };
    const past = { linkId: 'measured-at', now: Date.parse(now) };
    const step = { form, kept: {}, sent, language: 'sv', page: 0, go: 'next', timeZone: 'Europe/Stockholm' } as const;
    const { issues, shows, content } = takeFormStep({ ...step, past });
    if (shows === 'page') assert.match(content.markup, /id="f-0-error">Tiden har inte varit än\./);
    return issues.map(({ code }) => code);
  };
  const now = '2026-03-01T08:00:00+01:00';
  assert.deepEqual(at('2026-03-01', '08:01', now), ['future']);
  assert.deepEqual(at('2026-03-01', '08:00', now), []);
  assert.deepEqual(at('2026-03-02', '', now), ['future']);
  assert.deepEqual(at('2026-03-01', '', '2026-03-01T00:30:00+01:00'), [], 'the day has begun here, not in UTC');
  assert.deepEqual(at('', '', now), []);
});

test('nothing measured is refused, and every value becomes an Observation', () => {
  const request = requestWith([]);
  assert.deepEqual(warnings(request, ''), [['required_group', 'error', undefined]]);
  const { items } = review(request, '70,50');
  const context = { subject: {}, basedOn: [], performer: {}, now: '2026-03-01T08:00:00.000Z' };
  const [observation, ...others] = observationsOf(measuresOf(request), items, context);
  assert.deepEqual(others, []);
  assert.match(JSON.stringify(observation), /"code":"weight".*"effectiveDateTime":"2026-03-01T08:00:00.000Z"/);
  assert.match(JSON.stringify(observation), /"valueQuantity":\{"value":70\.50,"unit":"kilogram"/);
});

test('a plan without measures has no form of them', () => {
  assert.equal(measureForm(measuresOf({ resourceType: 'ServiceRequest' })), undefined);
});
