// Every official example is accepted, but those that R5's own rules refuse: each of them is named here with the rule it breaks.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { hasErrors, validateResource } from './validate.ts';

const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.examples/package.json'));

/** Definitions and bundles of them are many, alike and large; a sample of them is enough. */
const SAMPLED =
  /^(?:Bundle-(?:resources|profiles|types|dataelements)|SearchParameter|ValueSet|CodeSystem|ConceptMap|StructureDefinition|OperationDefinition)/;

/** Examples outside of the generated Questionnaires that break a rule, by file: part of the fault's message. */
const FAULTY: Readonly<Record<string, string>> = {
  'BiologicallyDerivedProduct-allogeneicHCT.json': 'must point to ServiceRequest',
  'BiologicallyDerivedProduct-autologousHCT.json': 'must point to ServiceRequest',
  'DocumentReference-xray.json': 'must point to Appointment, Encounter or EpisodeOfCare',
  'Encounter-example.json': 'must point to CareTeam',
  'GenomicStudy-example-lungMass.json': 'must be Type/id',
  'Medication-med0301.json': 'ele-1',
  'ResearchSubject-example-crossover-placebo-to-drug.json': 'must be Type/id',
  'StructureDefinition-Product.json': 'sdf-27',
  'Transport-simpledelivery.json': 'must point to Location',
};

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

test('the official examples are accepted, the faulty ones refused for the reason known', () => {
  const names = readdirSync(folder).filter((name) => /^[A-Z]\w+-.*\.json$/.test(name));
  const tried = names.filter((name, index) => !SAMPLED.test(name) || index % 20 === 0);
  assert.ok(tried.length > 1000, `${tried.length} examples`);
  let duplicateLinkIds = 0;
  for (const name of tried) {
    const faults = validateResource(read(name)).filter((fault) => hasErrors([fault]));
    const known = FAULTY[name];
    if (known !== undefined) {
      assert.ok(
        faults.length > 0 && faults.every(({ message }) => message.includes(known)),
        `${name} ${JSON.stringify(faults)}`,
      );
    } else if (name.startsWith('Questionnaire-qgen-') && faults.length > 0) {
      assert.ok(
        faults.every(({ message }) => message.includes('que-2')),
        `${name} ${JSON.stringify(faults)}`,
      );
      duplicateLinkIds += 1;
    } else assert.deepEqual(faults, [], name);
  }
  assert.equal(duplicateLinkIds, 161);
});
