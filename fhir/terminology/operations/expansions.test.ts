// $expand against the official expansions of R5's value sets: the same codes in the same order, with the same displays
// and marks.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readPackage } from '../../../scripts/fhir-definitions/package-files.ts';
import { splitCanonical } from '../catalog/catalog.ts';
import { officialCatalog } from '../catalog/official.ts';
import { finished } from '../content/unfinished.ts';
import type { Json } from '../json.ts';
import { TerminologyError } from '../terminology-error.ts';
import { Inputs } from './inputs.ts';
import { createTerminologyOperations } from './service.ts';

interface Item {
  readonly system?: string;
  readonly code?: string;
  readonly display?: string;
  readonly abstract?: boolean;
  readonly inactive?: boolean;
  readonly contains?: readonly Item[];
}

interface Expansion {
  readonly contains?: readonly Item[];
  readonly parameter?: readonly { readonly name: string; readonly valueUri?: string }[];
}

/**
 * Systems that only their publishers distribute, or that a grammar defines. Also some of HL7's own, of which the named
 * version is not published with the others.
 */
const NOT_HERE = [
  'http://snomed.info/sct',
  'http://loinc.org',
  'http://dicom.nema.org/',
  'http://hl7.org/fhir/sid/',
  'http://ihe.net/fhir/ihe.formatcode.fhir/CodeSystem/formatcode',
  'http://terminology.hl7.org/CodeSystem/v2-',
  'http://unstats.un.org/unsd/methods/m49/m49.htm',
  'http://www.whocc.no/atc',
  'sample-security-structural-roles',
  'urn:iso:std:iso:11073:10101',
];

/** The official one shows the Danish designation of `ar` as its display, where the value set says Arabic. */
const WRONG = new Set(['http://hl7.org/fhir/ValueSet/languages']);

/**
 * Value sets whose code systems have other codes, names, flags or parents in the later version known here; four of them
 * differ only in order.
 */
const CHANGED_SINCE = new Set([
  ...`adverse-event-category benefit-network claim-careteamrole condition-category coverage-type detectedissue-category
    endpoint-connection-type goal-category immunization-recommendation-status list-order namingsystem-identifier-system-type object-role
    observation-category organization-type payeetype plan-definition-type program referencerange-meaning security-label-examples
    security-labels service-referral-method variable-role verificationresult-validation-process`
    .split(/\s+/)
    .map((name) => `http://hl7.org/fhir/ValueSet/${name}`),
  ...`directness measure-scoring synthesis-type usage-context-type v3-ActConsentDirective v3-ActPharmacySupplyType v3-ActReason
    v3-PurposeOfUse`
    .split(/\s+/)
    .map((name) => `http://terminology.hl7.org/ValueSet/${name}`),
]);

/** The official display is the code system's, ours the value set's: a Minute and 天 there, minutes and day here. */
const LICENSED = ['http://snomed.info/sct', 'http://loinc.org', 'http://unitsofmeasure.org'];

function flat(items: readonly Item[] = []): string[] {
  return items.flatMap(({ system, code, display, abstract = false, inactive = false, contains }) => [
    [system, code, display, abstract, inactive].join(' | '),
    ...flat(contains),
  ]);
}

function usesLicensed({ parameter = [], contains }: Expansion): boolean {
  const named = [...parameter.map(({ valueUri = '' }) => splitCanonical(valueUri).url), ...systemsOf(contains)];
  return named.some((url) => LICENSED.includes(url));
}

function systemsOf(items: readonly Item[] = []): string[] {
  return items.flatMap(({ system = '', contains }) => [system, ...systemsOf(contains)]);
}

/**
 * The number of official expansions that can be expanded here, and the errors of those with unknown or infinite
 * systems.
 */
async function expandAll(): Promise<{
  readonly unknown: string[];
  readonly endless: string[];
  readonly expanded: Map<string, [ours: string[], theirs: Expansion]>;
}> {
  const expand = createTerminologyOperations(officialCatalog(), { now: () => 0 }).find(({ name }) => name === 'expand');
  assert.ok(expand !== undefined);
  const expanded = new Map<string, [string[], Expansion]>();
  const [unknown, endless]: [string[], string[]] = [[], []];
  for (const published of readPackage<Json>('hl7.fhir.r5.expansions', 'ValueSet')) {
    const url = String(published['url']);
    const inputs = new Inputs([
      { name: 'url', valueUri: url },
      { name: 'excludeNested', valueBoolean: true },
    ]);
    try {
      const { expansion } = (await finished(() => expand.run(inputs, {}))) as { expansion: Expansion };
      expanded.set(url, [flat(expansion.contains), published['expansion'] as Expansion]);
    } catch (error) {
      if (!(error instanceof TerminologyError)) throw error;
      if (error.issue === 'too-costly') endless.push(url);
      else unknown.push(error.message);
    }
  }
  return { unknown, endless, expanded };
}

it('expansions equal the official ones, where their code systems are known and unchanged', async () => {
  const { unknown, endless, expanded } = await expandAll();
  let compared = 0;
  for (const [url, [ours, theirs]] of expanded) {
    if (WRONG.has(url) || usesLicensed(theirs)) continue;
    if (CHANGED_SINCE.has(url)) {
      assert.notDeepEqual(ours, flat(theirs.contains), `${url} is equal`);
      continue;
    }
    assert.deepEqual(ours, flat(theirs.contains), url);
    compared += 1;
  }
  assert.equal(compared, 608);
  for (const message of unknown) {
    const [, name = ''] =
      /^A definition for (?:CodeSystem|the value Set) '(\S+)'.* could not be found/.exec(message) ?? [];
    assert.ok(
      NOT_HERE.some((each) => name.startsWith(each)),
      message,
    );
  }
  assert.equal(unknown.length, 94);
  // Also too costly in the official expansions.
  assert.deepEqual(
    endless,
    ['all-languages', 'mimetypes'].map((name) => `http://hl7.org/fhir/ValueSet/${name}`),
  );
});
