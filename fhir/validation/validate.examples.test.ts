// Every official example is accepted, except those that R5's own rules refuse, which are listed here with the broken
// rule.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { hasErrors, validateResource } from './validate.ts';

const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.examples/package.json'));

/** Examples outside of the generated Questionnaires that break a rule, by file: part of the error's message. */
const ISSUEY: Readonly<Record<string, string>> = {
  // Nested concepts without hierarchyMeaning, which the claimed profile shareablecodesystem requires.
  'Bundle-valuesets.json': 'scs-1',
  'CodeSystem-fhir-types.json': 'scs-1',
  'BiologicallyDerivedProduct-allogeneicHCT.json': 'must point to ServiceRequest',
  'BiologicallyDerivedProduct-autologousHCT.json': 'must point to ServiceRequest',
  // Full URLs with the id, or the type, of another resource.
  'Bundle-10bb101f-a121-4264-a920-67be9cb82c74.json': 'must end with',
  'Bundle-3a0707d3-549e-4467-b8b8-5a2ab3800efe.json': 'must end with',
  'Bundle-lri-example.json': 'must end with',
  // An image, a link and two canonicals that refer to ids that do not exist in the resource.
  'DocumentReference-sound.json': 'must have links and images',
  'MedicinalProductDefinition-drug-and-device-complete.json': 'must have links and images',
  'PlanDefinition-example-cardiology-os.json': 'must name something contained',
  'DocumentReference-xray.json': 'must point to Appointment, Encounter or EpisodeOfCare',
  'Encounter-example.json': 'must point to CareTeam',
  'Medication-med0301.json': 'ele-1',
  'Transport-simpledelivery.json': 'must point to Location',
};

/** Logical models with a base but no derivation. */
const WITHOUT_DERIVATION =
  /^StructureDefinition-(?:Definition|Event|FiveWs|Participant|ParticipantContactable|ParticipantLiving|Product|Publishable|Request|Shareable)\.json$/;

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

test('official examples are accepted, and the invalid ones refused for the known reason', () => {
  const names = readdirSync(folder).filter((name) => /^[A-Z]\w+-.*\.json$/.test(name));
  assert.equal(names.length, 2822);
  let duplicateLinkIds = 0;
  for (const name of names) {
    const issues = validateResource(read(name)).filter((issue) => hasErrors([issue]));
    const known = WITHOUT_DERIVATION.test(name) ? 'sdf-27' : ISSUEY[name];
    if (known !== undefined) {
      assert.ok(
        issues.length > 0 && issues.every(({ message }) => message.includes(known)),
        `${name} ${JSON.stringify(issues)}`,
      );
    } else if (name.startsWith('Questionnaire-qgen-') && issues.length > 0) {
      assert.ok(
        issues.every(({ message }) => message.includes('que-2')),
        `${name} ${JSON.stringify(issues)}`,
      );
      duplicateLinkIds += 1;
    } else assert.deepEqual(issues, [], name);
  }
  assert.equal(duplicateLinkIds, 161);
});
