// What _summary and _elements leave of the official examples: every mandatory element is there, whatever the type.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { r5Definitions } from '#fhir/definitions/definitions.ts';
import { hasErrors, validateResource } from '#fhir/validation/validate.ts';
import { type SubsetRequest, subsetText } from './subset.ts';

const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.examples/package.json'));
const LONGEST = 60_000;
/** Of each type. */
const EXAMPLES = 2;
const REQUESTS: readonly SubsetRequest[] = [
  { summary: 'true', elements: [] },
  { summary: 'text', elements: [] },
  { summary: 'data', elements: [] },
  { summary: 'false', elements: ['id'] },
];

/** Valid ones of every type, by their texts. */
function examples(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const name of readdirSync(folder)) {
    const [, type = ''] = /^([A-Z]\w+)-.*\.json$/.exec(name) ?? [];
    const known = found.get(type) ?? [];
    if (type === '' || known.length >= EXAMPLES) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    if (text.length <= LONGEST && !hasErrors(validateResource(JSON.parse(text)))) found.set(type, [...known, text]);
  }
  return found;
}

/**
 * Rules about several elements, and profiles, may need what was left out; not so whether a reference and an extension
 * mean anything.
 */
function isOfParts(message: string, issueCode: string | undefined): boolean {
  if (message.includes('(profile ')) return false;
  return issueCode !== 'invariant' || /\((?:ref-1|ext-1|ele-1)\)/.test(message);
}

test('what is left of a resource holds what its definition asks for, and is marked', () => {
  const types = examples();
  assert.ok(types.size > 140, String(types.size));
  for (const text of [...types.values()].flat()) {
    for (const request of REQUESTS) {
      const left = JSON.parse(subsetText(text, request, r5Definitions()));
      const issues = validateResource(left).filter(
        (issue) => hasErrors([issue]) && isOfParts(issue.message, issue.code),
      );
      const name = `${left.resourceType}/${left.id} ${JSON.stringify(request)}`;
      assert.deepEqual(issues, [], name);
      assert.equal(left.meta.tag.at(-1).code, 'SUBSETTED', name);
    }
  }
});

test('what a narrative names of what is contained stays with it', () => {
  const picture = (id: string) => ({ resourceType: 'Binary', id, contentType: 'image/png' });
  const html = `<img src="#a" alt="a"/><a href='#b'>b</a><p>#c</p>`;
  const div = `<div xmlns="http://www.w3.org/1999/xhtml">${html}</div>`;
  const patient = {
    resourceType: 'Patient',
    contained: ['a', 'b', 'c'].map(picture),
    text: { status: 'generated', div },
  };
  const left = JSON.parse(subsetText(JSON.stringify(patient), { summary: 'text', elements: [] }, r5Definitions()));
  assert.deepEqual(left.contained, ['a', 'b'].map(picture));
});

test('a mandatory element without a summary of its own is whole, and modifiers keep their values', () => {
  const report = {
    resourceType: 'EvidenceReport',
    status: 'active',
    subject: { characteristic: [{ code: { text: 'age' }, valueBoolean: true }] },
    modifierExtension: [{ url: 'http://example.org/not', valueBoolean: true }],
  };
  const left = JSON.parse(subsetText(JSON.stringify(report), { summary: 'true', elements: [] }, r5Definitions()));
  assert.deepEqual([left.subject, left.modifierExtension], [report.subject, report.modifierExtension]);
});
