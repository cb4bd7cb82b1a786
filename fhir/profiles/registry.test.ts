// The official profiles in memory: small, read once, found by canonical.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { createCustomProfiles } from './custom.ts';
import { officialStructure } from './official.ts';
import { r5Profiles } from './registry.ts';
import { profileOf } from './test-profiles.ts';

const R5 = 'http://hl7.org/fhir/StructureDefinition/';

test('the generated definition files stay small', () => {
  const folders = ['.', '../definitions', '../search/parameters'].map(
    (name) => new URL(`${name}/generated/`, import.meta.url),
  );
  const sizes = folders.flatMap((folder) => readdirSync(folder).map((name) => statSync(new URL(name, folder)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total < 2_500_000, `${total} bytes`);
});

test('profiles are found with and without their version; other URLs are not', () => {
  const profile = r5Profiles().find(`${R5}bp`);
  assert.equal(profile?.type, 'Observation');
  assert.equal(r5Profiles().find(`${R5}bp|5.0.0`), profile);
  for (const other of [`${R5}bp|4.0.1`, `${R5}Patient`, '', '|', `${R5}toString`])
    assert.equal(r5Profiles().find(other), undefined);
  assert.equal(officialStructure(`${R5}Patient`)?.isProfile, false);
  assert.equal(officialStructure(`${R5}Patient|5.0.0`), officialStructure(`${R5}Patient`));
});

test('a URL without a version finds the latest; an official profile cannot be replaced', () => {
  const profiles = createCustomProfiles();
  const [old, latest] = ['1.2.0', '1.10.0'].map((version) => profileOf('v', 'Patient', { Patient: {} }, { version }));
  const own = profileOf('bp', 'Patient', { Patient: {} }, { url: `${R5}bp` });
  assert.ok(old && latest);
  profiles.replace([latest, old, own]);
  assert.equal(profiles.find(old.url)?.version, '1.10.0');
  assert.equal(profiles.find(`${old.url}|1.2.0`)?.version, '1.2.0');
  assert.equal(profiles.find(`${old.url}|2`), undefined);
  assert.equal(profiles.find(`${R5}bp`)?.type, 'Observation');
  profiles.replace([]);
  assert.equal(profiles.find(old.url), undefined);
});
