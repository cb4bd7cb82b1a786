// `kedja terminology` as an operator runs it, beside an engine on the same database.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { creatureFiles, id } from '#fhir/terminology/import/rf2/testing/creatures.ts';
import { writeRelease } from '#fhir/terminology/import/rf2/testing/read-creatures.ts';
import { LOINC_RELEASE } from '#fhir/terminology/import/testing/small-releases.ts';
import { makeZip } from '#lib/zip/testing/make-zip.ts';
import { migrations } from '#services/engine/migrations.ts';
import { readCodeBlocks } from '#test/support/code-blocks.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { startEngineOn } from '#test/support/engine/engine.ts';
import {
  codeOf,
  generateConcepts,
  LARGE_URL,
  largeCsv,
  largeJson,
  largeNdjson,
} from '#test/support/engine/large-code-system.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { startCommand } from '#test/support/system/processes.ts';

const hooks = lastFirst({ after });
const folder = await temporaryDataDir();
hooks.after(() => rm(folder, { recursive: true, force: true }));
const site = await createTestDatabase(hooks, { schemas: [{ schema: 'engine', migrations }] });
const database = site.database('engine');
const { call } = await startEngineOn(hooks, database);

const start = (...args: string[]) =>
  startCommand(['terminology', ...args], { KEDJA_DATABASE_URL: site.url, KEDJA_DATA_DIR: folder }, folder);
const run = (...args: string[]) => start(...args).ended;
const write = (name: string, text: string | Iterable<string>) =>
  writeFile(path.join(folder, name), typeof text === 'string' ? text : [...text].join(''));

/** Counts what imports have stored. */
async function stored(): Promise<readonly [resources: number, systems: number, parts: number]> {
  const count = async (table: string) =>
    (await database.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)).rows[0]?.n ?? 0;
  return [await count('fhir_resource'), await count('fhir_code_system'), await count('fhir_code_system_part')];
}

/** The node reads stored code systems when a definition is written, and else within two seconds. */
async function refresh(): Promise<void> {
  const valueSet = { resourceType: 'ValueSet', id: 'touched', url: 'urn:touched', status: 'active' };
  assert.ok((await call('admin', 'PUT', '/ValueSet/touched', valueSet)).status < 300);
}

type Parameter = { readonly name: string; readonly [member: string]: unknown };

async function lookup(url: string, code: string, version = ''): Promise<readonly Parameter[] | undefined> {
  const query = `system=${url}&code=${code}${version === '' ? '' : `&version=${version}`}`;
  return (await call('admin', 'GET', `/CodeSystem/$lookup?${query}`)).body.parameter;
}

async function expand(url: string, filter: object[], text: string): Promise<{ total: number; codes: string[] }> {
  const valueSet = { resourceType: 'ValueSet', status: 'active', compose: { include: [{ system: url, filter }] } };
  const parameter = [
    { name: 'valueSet', resource: valueSet },
    { name: 'filter', valueString: text },
    { name: 'count', valueInteger: 10 },
  ];
  const { body } = await call('admin', 'POST', '/ValueSet/$expand', { resourceType: 'Parameters', parameter });
  const { total, contains = [] } = body.expansion;
  return { total, codes: contains.map(({ code }: { code: string }) => code) };
}

const SIZE = 3_000;
const named = (text: string, form: string) => text.replaceAll(LARGE_URL, `${LARGE_URL}-${form}`);

test('the three forms of a file, compressed or not, give the same code system', async () => {
  await writeFile(path.join(folder, 'a.json.gz'), gzipSync(named([...largeJson(SIZE)].join(''), 'json')));
  await write('a.ndjson', named([...largeNdjson(SIZE)].join(''), 'ndjson'));
  await write('a.csv', `\uFEFF${[...largeCsv(SIZE)].join('')}`);
  const csv = ['a.csv', '--url', `${LARGE_URL}-csv`, '--version', '2026', '--name', 'Findings', '--language', 'en'];
  const dryRun = await run('import', ...csv, '--dry-run');
  assert.deepEqual([dryRun.code, dryRun.stderr], [0, 'a.csv: 3,000 codes would be imported.\n']);
  const answers: unknown[] = [];
  const concept = [...generateConcepts(SIZE)].find(
    ({ parent, secondParent }) => secondParent === undefined && parent === codeOf(1),
  );
  assert.ok(concept !== undefined);
  for (const [form, args] of [
    ['json', ['a.json.gz']],
    ['ndjson', ['a.ndjson']],
    ['csv', csv],
  ] as const) {
    const { code, stderr } = await run('import', ...args);
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      new RegExp(`3,000 codes of ${LARGE_URL}-${form}\\|2026 imported as CodeSystem/[\\da-f-]{36}\\.\n$`),
    );
    await refresh();
    const url = `${LARGE_URL}-${form}`;
    const found = (await lookup(url, concept.code)) ?? [];
    const isA = [{ property: 'concept', op: 'is-a', value: codeOf(1) }];
    const severe = { property: 'severity', op: '=', value: 'severe' };
    const tree = await call(
      'admin',
      'GET',
      `/CodeSystem/$subsumes?system=${url}&codeA=${codeOf(0)}&codeB=${concept.code}`,
    );
    answers.push({
      found: found.flatMap(({ name, valueString, valueCode }) =>
        name === 'system' ? [] : [[name, valueString, valueCode]],
      ),
      outcome: tree.body.parameter[0].valueCode,
      all: await expand(url, isA, 'fra'),
      some: await expand(url, [...isA, severe], 'frac'),
    });
  }
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
  const [first] = answers as { outcome: string; all: { total: number } }[];
  assert.equal(first?.outcome, 'subsumes');
  assert.ok((first?.all.total ?? 0) > 10);
});

test('each error of a file is named with its line, and nothing changes', async () => {
  const before = await stored();
  await write('faulty.csv', 'code,parent\na,\n"a",\nb,q\n');
  const { code, stdout, stderr } = await run('import', 'faulty.csv', '--url', 'urn:f');
  assert.deepEqual([code, stderr], [1, 'faulty.csv: 2 errors; nothing was imported.\n']);
  assert.match(stdout, /^faulty\.csv:3: the code a stands on line 2 already\nfaulty\.csv:4: there is no code q.*\n$/);
  assert.deepEqual(await stored(), before);
});

test('an error is printed in one line', async () => {
  const none = await run('import', 'nowhere.json');
  assert.match(none.stderr, /ENOENT[^\n]*\n$/);
  assert.match((await run('import', 'notes.txt')).stderr, /^notes\.txt: the name must end in \.json[^\n]*\n$/);
  for (const args of [[], ['import', 'a.csv'], ['import', 'a.json', '--url', 'urn:x']]) {
    const { code, stderr } = await run(...args);
    assert.deepEqual([code, stderr.includes('\n\nusage: kedja terminology')], [1, true], args.join(' '));
  }
  assert.equal((await run('--help')).code, 0);
});

test('a code system of the same version is replaced, another version is added, and the latest takes precedence', async () => {
  const file = (version: string, ...codes: string[]) => {
    const head = { resourceType: 'CodeSystem', url: 'urn:v', version, status: 'active', content: 'complete' };
    return [head, ...codes.map((code) => ({ code, display: `${code} of ${version}` }))]
      .map((each) => JSON.stringify(each))
      .join('\n');
  };
  const display = async (code: string, version?: string) =>
    (await lookup('urn:v', code, version))?.find(({ name }) => name === 'display')?.['valueString'];
  await write('v.ndjson', file('1', 'a', 'b'));
  assert.equal((await run('import', 'v.ndjson')).code, 0);
  await refresh();
  assert.deepEqual([await display('a'), await display('b')], ['a of 1', 'b of 1']);
  const before = await stored();
  await write('v.ndjson', file('1', 'a', 'c'));
  assert.match(
    (await run('import', 'v.ndjson')).stderr,
    /in the place of what was there \(version 2 of the resource\)/,
  );
  assert.deepEqual((await stored()).slice(0, 2), before.slice(0, 2));
  await write('v.ndjson', file('2', 'a', 'd'));
  assert.equal((await run('import', 'v.ndjson')).code, 0);
  await refresh();
  assert.deepEqual(
    [await display('b', '1'), await display('c', '1'), await display('c'), await display('d'), await display('a')],
    [undefined, 'c of 1', undefined, 'd of 2', 'a of 2'],
  );
  const found = await call('admin', 'GET', '/CodeSystem?url=urn:v&version=2');
  const resource = found.body.entry[0].resource;
  assert.deepEqual([resource.content, resource.count, resource.concept], ['not-present', 2, undefined]);
  // Its codes are its own: another resource with that url has none of them.
  const thief = { ...resource, id: 'thief', url: 'urn:thief' };
  assert.equal((await call('admin', 'PUT', '/CodeSystem/thief', thief)).status, 201);
  assert.equal(await lookup('urn:thief', 'd'), undefined);
  // The resource may be changed, and keeps its codes; once deleted it has none.
  assert.equal((await call('admin', 'PUT', `/CodeSystem/${resource.id}`, { ...resource, title: 'V' })).status, 200);
  assert.equal(await display('d'), 'd of 2');
  assert.equal((await call('admin', 'DELETE', `/CodeSystem/${resource.id}`)).status, 204);
  assert.deepEqual([await display('d'), await display('c')], [undefined, 'c of 1']);
  const events = await database.query<{ n: number }>(
    "SELECT count(*) AS n FROM audit_event WHERE event = 'terminology.import'",
  );
  assert.equal(events.rows[0]?.n, 6);
});

/** @throws the error of a pipe that is read */
function unlessNobodyReads(error: unknown): void {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'EPIPE') throw error;
}

for (const signal of ['SIGINT', 'SIGKILL'] as const) {
  test(`${signal} while a file is read leaves nothing stored`, async () => {
    const before = await stored();
    // A pipe that the test fills, so that the command waits for the rest.
    const name = `piped-${signal}.ndjson`;
    execFileSync('mkfifo', [path.join(folder, name)]);
    const lines = [...largeNdjson(2_000)].map((line) => named(line, signal));
    const { child, ended } = start('import', name);
    const pipe = await open(path.join(folder, name), 'w');
    for (const line of lines.slice(0, 1_900)) await pipe.write(line);
    child.kill(signal);
    // The command ends at the next chunk. It may have had that in the pipe, and be gone before this one.
    if (signal === 'SIGINT') await pipe.write(lines[1_900] ?? '').catch(unlessNobodyReads);
    await pipe.close();
    const { code, stderr } = await ended;
    if (signal === 'SIGINT') assert.deepEqual([code, stderr], [130, 'Stopped: nothing was imported.\n']);
    assert.deepEqual(await stored(), before);
    await rm(path.join(folder, name));
    await write(name, lines);
    assert.equal((await run('import', name)).code, 0);
    assert.equal((await stored())[0], before[0] + 1);
  });
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
  test(`${signal} while an import is stored leaves nothing stored`, async () => {
    const before = await stored();
    const name = `stored-${signal}.ndjson`;
    await write(
      name,
      [...largeNdjson(2_000)].map((line) => named(line, `stored-${signal}`)),
    );
    const { child, ended } = start('import', name);
    await database.transaction(async (tx) => {
      // The command runs until it writes the columns' parts, and waits there.
      await tx.query('LOCK TABLE fhir_code_system_part IN ACCESS EXCLUSIVE MODE');
      for (let isWaiting = false; !isWaiting; ) {
        const { rows } = await database.query<{ n: number }>(
          `SELECT count(*) AS n FROM pg_locks WHERE NOT granted AND relation = 'fhir_code_system_part'::regclass`,
        );
        isWaiting = (rows[0]?.n ?? 0) > 0;
      }
      child.kill(signal);
      const { code, stderr } = await ended;
      if (signal !== 'SIGKILL') assert.deepEqual([code, stderr], [130, 'Stopped: nothing was imported.\n']);
    });
    assert.deepEqual(await stored(), before);
    assert.equal((await run('import', name)).code, 0);
    assert.equal((await stored())[0], before[0] + 1);
  });
}

test('a release in the form of its publisher is imported, and its licence named', async () => {
  await writeFile(path.join(folder, 'loinc.zip'), makeZip(LOINC_RELEASE));
  const { code, stderr } = await run('import', 'loinc.zip', '--format', 'loinc', '--copyright', 'Ours');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^loinc\.zip: 12 codes of http:\/\/loinc\.org\|9\.01 imported as .*\nLicence: Ours\n$/);
  await refresh();
  const found = await lookup('http://loinc.org', '10001-1');
  assert.equal(found?.find(({ name }) => name === 'display')?.['valueString'], 'Moonstone [Mass/volume] in Cave');
  await write('icd.tsv', 'Kod\tTitel\nX\tOne\nX\tOne\nY\tTwo\nZ\nX\tThree\n');
  const before = await stored();
  const faulty = await run('import', 'icd.tsv', '--format', 'icd-10-se', '--url', 'urn:i');
  assert.match(faulty.stdout, /^icd\.tsv:5: there are 1 cells, .*\nicd\.tsv:6: the code X stands on line 2 already\n$/);
  assert.deepEqual([faulty.code, faulty.stderr], [1, 'icd.tsv: 2 errors; nothing was imported.\n']);
  assert.deepEqual(await stored(), before);
  const { stderr: refused } = await run('import', 'icd.tsv', '--format', 'icd-10-se');
  assert.match(refused, /^--url must say the URL of the code system/);
  const { code: unlicensed, stderr: why } = await run('import', 'icf.xml', '--format', 'claml', '--url', 'urn:i');
  assert.deepEqual([unlicensed, why.slice(0, 45)], [1, '--copyright must name the licence of the code']);
});

test('imported code systems are listed, and removed with what uses them named', async () => {
  const url = 'urn:kept';
  const copyright = 'Copyright Example\nMay be used by all.';
  const file = (version: string, ...codes: string[]) => {
    const head = { resourceType: 'CodeSystem', url, version, status: 'active', content: 'complete', copyright };
    const concept = (code: string) => ({
      code,
      designation: [{ language: 'sv', value: `${code} på svenska` }],
      property: [{ code: 'colour', valueCode: 'red' }],
    });
    return [head, ...codes.map(concept)].map((each) => JSON.stringify(each)).join('\n');
  };
  const startedAt = Date.now();
  for (const [version, codes] of [
    ['1', ['a', 'b']],
    ['2', ['a', 'b', 'c']],
  ] as const) {
    await write('kept.ndjson', file(version, ...codes));
    assert.equal((await run('import', 'kept.ndjson')).code, 0);
  }
  const include = (...systems: object[]) => ({ status: 'active', compose: { include: systems } });
  for (const [id, systems] of [
    ['uses-any', [{ system: url }]],
    ['uses-1', [{ system: url, version: '1' }]],
    ['uses-none', [{ system: 'urn:kept-elsewhere' }]],
  ] as const) {
    const valueSet = { resourceType: 'ValueSet', id, url: `urn:${id}`, ...include(...systems) };
    assert.ok((await call('admin', 'PUT', `/ValueSet/${id}`, valueSet)).status < 300);
  }

  const table = await run('list');
  assert.equal(table.code, 0, table.stderr);
  assert.match(table.stdout, /^URL +VERSION +CONCEPTS +SIZE +IMPORTED +LICENCE\n/);
  assert.match(table.stdout, /\nurn:kept +2 +3 +0 MB +\d{4}-\S+Z +Copyright Example\n/);
  type Listed = { url: string; version: string; concepts: number; copyright: string; imported_at: string };
  const listed = (JSON.parse((await run('list', '--json')).stdout) as Listed[]).filter((each) => each.url === url);
  assert.deepEqual(
    listed.map(({ version, concepts, copyright: licence }) => [version, concepts, licence]),
    [
      ['1', 2, copyright],
      ['2', 3, copyright],
    ],
  );
  assert.ok(listed.every((each) => Date.parse(each.imported_at) >= startedAt));
  const status = JSON.parse((await run('status', url, '--json')).stdout);
  assert.deepEqual(
    status.map((each: { properties: unknown; languages: unknown; used_by: unknown }) => [
      each.properties,
      each.languages,
      each.used_by,
    ]),
    [
      [['colour'], ['sv'], ['ValueSet/uses-1', 'ValueSet/uses-any']],
      [['colour'], ['sv'], ['ValueSet/uses-any']],
    ],
  );
  assert.match((await run('status')).stdout, /^\d+ code systems, [\d,]+ concepts, [\d.]+ MB\n$/);

  const before = await stored();
  const refusals = [
    [['remove', url, '--yes'], /^urn:kept has several versions: name one of urn:kept\|1, urn:kept\|2\n$/],
    [['remove', `${url}|1`], /is used by ValueSet\/uses-1, ValueSet\/uses-any\.\nNothing was removed/],
    [['status', 'urn:none'], /^No code system urn:none has been imported/],
  ] as const;
  for (const [args, message] of refusals) {
    const { code, stderr } = await run(...args);
    assert.equal(code, 1);
    assert.match(stderr, message);
  }
  assert.deepEqual(await stored(), before);

  const removed = await run('remove', `${url}|1`, '--yes');
  assert.deepEqual([removed.code, removed.stderr.endsWith('urn:kept|1 was removed.\n')], [0, true], removed.stderr);
  await refresh();
  assert.deepEqual(
    [await lookup(url, 'a', '1'), (await lookup(url, 'c'))?.find(({ name }) => name === 'code')?.['valueCode']],
    [undefined, 'c'],
  );
  assert.deepEqual((await stored())[1], before[1] - 1);
  const events = await database.query<{ n: number }>(
    "SELECT count(*) AS n FROM audit_event WHERE event = 'terminology.remove'",
  );
  assert.equal(events.rows[0]?.n, 1);
});

test('the examples of the reference page give the same code system', async () => {
  const page = await readFile(path.join(import.meta.dirname, '../docs/reference/engine/terminology-import.md'), 'utf8');
  const examples = readCodeBlocks(page).filter(({ kind }) => kind !== 'text');
  assert.deepEqual(
    examples.map(({ kind }) => kind),
    ['json', 'ndjson', 'csv'],
  );
  const url = 'https://example.org/animals';
  const answers: unknown[] = [];
  for (const { kind, body } of examples) {
    await write(`animals.${kind}`, body);
    const said = kind === 'csv' ? ['--url', url, '--version', '1', '--name', 'Animals'] : [];
    const { code, stderr } = await run('import', `animals.${kind}`, ...said);
    assert.equal(code, 0, stderr);
    await refresh();
    const tree = await call('admin', 'GET', `/CodeSystem/$subsumes?system=${url}&codeA=animal&codeB=dog`);
    answers.push([await lookup(url, 'dog'), tree.body.parameter[0].valueCode]);
  }
  assert.deepEqual(answers[1], answers[0]);
  assert.deepEqual(answers[2], answers[0]);
  assert.match(JSON.stringify(answers[0]), /Hund.*"legs".*4.*"subsumes"/);
});

test('a release of SNOMED CT is imported from its folder, and answers expression constraints', async () => {
  const release = path.join(folder, 'creatures');
  await writeRelease(release, creatureFiles());
  const imported = await run('import', release);
  assert.equal(imported.code, 0, imported.stderr);
  assert.match(
    imported.stderr,
    /25 codes of http:\/\/snomed\.info\/sct\|.* imported as CodeSystem\/[\s\S]*Licence: SNOMED CT/,
  );
  await refresh();
  const ecl = `< ${id('dragon')} : ${id('heads')} > #1`;
  const url = encodeURIComponent(`http://snomed.info/sct?fhir_vs=ecl/${ecl}`);
  const { body, text } = await call('admin', 'GET', `/ValueSet/$expand?url=${url}&displayLanguage=sv`);
  assert.deepEqual(
    body.expansion.contains.map(({ display }: { display: string }) => display),
    ['elddrake'],
    text,
  );
  await rm(path.join(release, 'Snapshot/Terminology'), { recursive: true });
  const refused = await run('import', release);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /there is no file of concepts/);
});
