// Test support: valid resources, and tests that a resource with one error is refused at the right place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasErrors, validateResource } from './validate.ts';

export type Json = Record<string, unknown>;

export const PATIENT: Json = {
  resourceType: 'Patient',
  id: 'p1',
  identifier: [{ system: 'urn:oid:1.2.752.129.2.1.3.1', value: '191212121212' }],
  active: true,
  name: [{ use: 'official', family: 'Åberg', given: ['Örjan', 'B'] }],
  telecom: [{ system: 'phone', value: '070' }],
  gender: 'male',
  birthDate: '1912-12-12',
  contact: [{ name: { text: 'A' } }],
  communication: [{ language: { coding: [{ system: 'urn:ietf:bcp:47', code: 'sv' }] } }],
};
export const OBSERVATION: Json = {
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
  subject: { reference: 'Patient/p1' },
  effectiveDateTime: '2026-11-21T10:00:00+01:00',
  valueQuantity: { value: 72, unit: '/min', system: 'http://unitsofmeasure.org', code: '/min' },
};
export const REQUEST: Json = {
  resourceType: 'ServiceRequest',
  status: 'active',
  intent: 'order',
  subject: { reference: 'Patient/p1' },
};
export const QUESTIONNAIRE: Json = {
  resourceType: 'Questionnaire',
  status: 'active',
  item: [
    { linkId: '1', type: 'group', item: [{ linkId: '1.1', type: 'string', text: 'A' }] },
    { linkId: '2', type: 'boolean' },
  ],
};
export const TRANSACTION: Json = {
  resourceType: 'Bundle',
  type: 'transaction',
  entry: [
    { fullUrl: 'urn:uuid:1', resource: PATIENT, request: { method: 'POST', url: 'Patient' } },
    {
      fullUrl: 'urn:uuid:2',
      resource: { ...OBSERVATION, subject: { reference: 'Patient?identifier=a|b' } },
      request: { method: 'POST', url: 'Observation' },
    },
  ],
};

/** [test title, valid resource, members that replace its own (undefined removes), place, issue] */
export type Case = readonly [what: string, base: Json, change: Json, field: string, issueCode: string];

/** One test for each case: the resource is refused at the place, with the issue's code. */
export function testBroken(cases: readonly Case[]): void {
  for (const [what, base, change, field, issueCode] of cases) {
    test(`refused: ${what}`, () => {
      const resource = Object.fromEntries(
        [...Object.entries(base), ...Object.entries(change)].filter(
          ([name]) => !(name in change) || change[name] !== undefined,
        ),
      );
      const broken = Object.hasOwn(change, '__proto__')
        ? Object.defineProperty({ ...base }, '__proto__', { value: {}, enumerable: true })
        : resource;
      const issues = validateResource(broken);
      assert.ok(hasErrors(issues), 'it is accepted');
      const found = issues.filter((issue) => issue.field === field && issue.code === issueCode);
      assert.ok(found.length > 0, JSON.stringify(issues));
      for (const { message } of found) assert.match(message, /^[A-Z].*\S$/);
    });
  }
}
