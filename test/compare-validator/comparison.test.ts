// Verdicts side by side: agreement, differences by their reason, and what is in the reference page of them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Issue } from '#lib/errors.ts';
import { agreementOf, type ComparedMutant, compare, describe, type JudgeMessage } from './comparison.ts';
import { EXPLANATIONS } from './explanations.ts';

const judged = (ours: readonly Issue[], theirs: readonly JudgeMessage[]): ComparedMutant => ({
  mutant: { base: 'Patient-a.json', family: 'codes', mutation: 'odd code', place: 'Patient.gender', text: '{}' },
  ours,
  theirs,
});
const error = (message: string): Issue => ({ message });
const warning: Issue = { message: 'Patient.gender should be better', severity: 'warning' };
const said = (kind: string, level = 'error'): JudgeMessage => ({ level, kind, place: 'Patient', text: 'x' });

test('verdicts are compared by their errors', () => {
  const found = compare([
    judged([], []),
    judged([warning], [said('a', 'warning'), said('b', 'information')]),
    judged([error('Patient.gender must be male')], [said('a', 'fatal')]),
    judged([error('Patient.gender must be male')], [said('a', 'warning')]),
    judged([warning], [said('a')]),
  ]);
  assert.deepEqual([found.total, found.agreed, found.valid], [5, 3, 2]);
  assert.deepEqual(
    found.differences.map(({ by }) => by),
    ['kedja', 'judge'],
  );
  assert.equal(agreementOf(found), 60);
  assert.equal(agreementOf(compare([])), 0);
});

test('a difference is explained when each of its errors is', () => {
  const element = error('Patient.name[0]: All FHIR elements must have a @value or children (ele-1)');
  const known = compare([judged([element], [])]);
  assert.match(known.differences[0]?.explanation?.reason ?? '', /ele-1/);
  const both = compare([judged([element, error('Patient.gender must be male')], [])]);
  assert.equal(both.differences[0]?.explanation, undefined);
  const other = compare([judged([], [said('All FHIR elements must have a @value or children (ele-1)')])]);
  assert.equal(other.differences[0]?.explanation, undefined);
});

test('the description names the figures, the reasons, and each difference that has none', () => {
  const lines = describe(
    compare([
      judged([], []),
      judged([], [said('Display_Name_for_x')]),
      judged([], [said('Display_Name_for_x')]),
      judged([error('Patient.gender must be male')], []),
    ]),
  );
  assert.equal(lines[0], '1 of 4 verdicts agree: 25.00 % (1 valid)');
  assert.equal(lines.splice(1, 1)[0], '      codes: 1 of 4');
  assert.match(lines[1] ?? '', /^ {3}2 {2}judge alone: another display than that/);
  assert.match(lines[2] ?? '', /^ {3}1 {2}without an explanation:/);
  assert.match(lines[3] ?? '', /odd code at Patient.gender of Patient-a.json/);
  assert.match(lines[4] ?? '', /kedja: Patient.gender must be male/);
});

test('every reason is in the reference page', () => {
  const page = readFileSync(new URL('../../docs/reference/engine/validation-agreement.md', import.meta.url), 'utf8');
  for (const { reason } of EXPLANATIONS) assert.ok(page.includes(reason.replaceAll('|', '\\|')), reason);
});
