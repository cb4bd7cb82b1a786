// Imported releases in the forms of their publishers, black-box: $lookup, $validate-code, $expand and $subsumes.
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type ReleaseFormatName, readRelease } from '#fhir/terminology/import/releases/release.ts';
import {
  ATC_RELEASE,
  CLAML_RELEASE,
  ICD_RELEASE,
  LOINC_RELEASE,
  type SmallRelease,
} from '#fhir/terminology/import/testing/small-releases.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { startTestEngine } from '#test/support/engine/engine.ts';
import { makePrincipal, makeTestLogger } from '#test/support/http-app.ts';
import { createEngineStore } from '../engine-store.ts';
import { openCodeSystemImport } from './import.ts';

const { call, database, clock } = await startTestEngine({ after });
const folder = await temporaryDataDir();
after(() => rm(folder, { recursive: true, force: true }));

async function importRelease(format: ReleaseFormatName, release: SmallRelease, url?: string): Promise<void> {
  const root = path.join(folder, format);
  for (const [name, text] of Object.entries(release)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  const deps = { database, clock, log: makeTestLogger([]), baseUrl: 'http://localhost/api/v1' };
  const target = await openCodeSystemImport(createEngineStore(deps), deps);
  const { signal } = new AbortController();
  try {
    const file = await readRelease({
      path: root,
      format,
      options: url === undefined ? {} : { url },
      checkHead: target.checkHead,
      onIssue: ({ message }) => assert.fail(message),
      onProgress: () => undefined,
      signal,
    });
    assert.ok(file !== undefined);
    await target.write(file, {
      principal: makePrincipal(['admin'], { kind: 'operator' }),
      onProgress: () => undefined,
      signal,
    });
    file.close();
  } finally {
    await target.close();
  }
}

before(async () => {
  await importRelease('loinc', LOINC_RELEASE);
  await importRelease('icd-10-se', ICD_RELEASE, 'urn:icd');
  await importRelease('atc', ATC_RELEASE);
  await importRelease('claml', CLAML_RELEASE, 'urn:ftc');
  // The node reads what was imported with the next definition that is written to it.
  const valueSet = { resourceType: 'ValueSet', id: 'touched', url: 'urn:touched', status: 'active' };
  assert.equal((await call('admin', 'PUT', '/ValueSet/touched', valueSet)).status, 201);
});

const LOINC = 'http://loinc.org';

interface Contained {
  readonly code: string;
  readonly contains?: readonly Contained[];
}

async function expanded(address: string, body?: object): Promise<readonly string[]> {
  const answer = await call('planner', body === undefined ? 'GET' : 'POST', address, body);
  assert.equal(answer.status, 200, answer.text);
  const flat = (items: readonly Contained[] = []): string[] =>
    items.flatMap(({ code, contains }) => [code, ...flat(contains)]);
  return flat(answer.body.expansion.contains);
}

const filtered = (system: string, property: string, op: string, value: string) =>
  expanded('/ValueSet/$expand', {
    resourceType: 'ValueSet',
    status: 'active',
    compose: { include: [{ system, filter: [{ property, op, value }] }] },
  });

/** The code system, the filter, and the codes. */
const FILTERS: readonly (readonly [system: string, property: string, op: string, value: string, codes: string])[] = [
  [LOINC, 'concept', 'is-a', 'LP90001-1', 'LP90001-1 10001-1 10002-9'],
  [LOINC, 'concept', 'descendent-of', 'LP99999-9', 'LP90001-1 10001-1 10002-9'],
  [LOINC, 'parent', '=', 'LP99999-9', '10002-9 LP90001-1'],
  [LOINC, 'child', '=', '10002-9', 'LP90001-1 LP99999-9'],
  [LOINC, 'COMPONENT', '=', 'LP90001-1', '10001-1'],
  [LOINC, 'STATUS', '=', 'DEPRECATED', '10003-7'],
  [LOINC, 'LIST', '=', 'LL9001-1', 'LA9001-1 LA9002-9'],
  ['urn:icd', 'concept', 'is-a', 'X01', 'X01 X01.1'],
  ['urn:icd', 'parent', '=', 'X00-X09', 'X01 X02'],
  ['urn:icd', 'inclusion', '=', 'Vättefeber', 'X01'],
  ['http://www.whocc.no/atc', 'concept', 'descendent-of', 'X01A', 'X01AA X01AA01'],
  ['urn:ftc', 'concept', 'descendent-of', 't', 't1 t1.0 t1.1 t2 t2.1'],
  ['urn:ftc', 'kind', '=', 'chapter', 't'],
];

for (const [system, property, op, value, codes] of FILTERS) {
  test(`${system}: ${property} ${op} ${value}`, async () => {
    assert.deepEqual([...(await filtered(system, property, op, value))].sort(), codes.split(' ').sort());
  });
}

test('LOINC’s answer lists and parts are implicit value sets', async () => {
  const list = (name: string) => expanded(`/ValueSet/$expand?url=${LOINC}/vs/${name}`);
  assert.deepEqual(await list('LL9002-9'), ['LA9002-9']);
  assert.deepEqual(await list('LP90001-1'), ['10001-1', '10002-9']);
  assert.equal((await call('planner', 'GET', `/ValueSet/$expand?url=${LOINC}/vs/LL1-1`)).status, 404);
});

/** The address, and what the answer says. */
const ANSWERS: readonly (readonly [address: string, says: RegExp])[] = [
  [
    `CodeSystem/$lookup?system=${LOINC}&code=10001-1`,
    /"name":"version","valueString":"9\.01".*"LP90002-9","display":"Cave"/,
  ],
  [`CodeSystem/$lookup?system=urn:icd&code=X01`, /Febris trollis.*Jättefeber/],
  ['CodeSystem/$lookup?system=urn:ftc&code=t&displayLanguage=sv', /"display","valueString":"Troll"/],
  ['CodeSystem/$lookup?system=http://www.whocc.no/atc&code=X01AA01&property=ddd', /"valueString":"1 ml P slow"/],
  [
    `CodeSystem/$validate-code?url=${LOINC}&code=10003-7`,
    /"result","valueBoolean":true.*"inactive","valueBoolean":true/,
  ],
  ['CodeSystem/$validate-code?url=urn:icd&code=X01.1', /"result","valueBoolean":true/],
  ['CodeSystem/$validate-code?url=urn:icd&code=X09', /"result","valueBoolean":false/],
  [`CodeSystem/$subsumes?system=${LOINC}&codeA=LP99999-9&codeB=10001-1`, /"valueCode":"subsumes"/],
  ['CodeSystem/$subsumes?system=urn:icd&codeA=X01.1&codeB=X00-X09', /"valueCode":"subsumed-by"/],
  ['CodeSystem/$subsumes?system=urn:ftc&codeA=t&codeB=t1.1', /"valueCode":"subsumes"/],
  [`CodeSystem?url=${LOINC}`, /"copyright":"LOINC is copyright/],
];

for (const [address, says] of ANSWERS) {
  test(address, async () => {
    const { status, text } = await call('planner', 'GET', `/${address}`);
    assert.equal(status, 200, text);
    assert.match(text, says);
  });
}
