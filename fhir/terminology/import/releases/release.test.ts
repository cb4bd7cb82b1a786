// Releases in the forms of their publishers: what becomes of each, and each error with its file and line.
import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { makeZip } from '#lib/zip/testing/make-zip.ts';
import { temporaryDataDir } from '#test/support/database/server.ts';
import type { Json } from '../../json.ts';
import { CodeSystemModel } from '../../model/code-system-model.ts';
import { unpack } from '../../model/columns/columns.ts';
import type { FileIssue } from '../assembly.ts';
import {
  ATC_RELEASE,
  CLAML_RELEASE,
  ICD_RELEASE,
  KVA_RELEASE,
  LOINC_RELEASE,
  type SmallRelease,
} from '../testing/small-releases.ts';
import { type ReleaseFormatName, readRelease } from './release.ts';

const folder = await temporaryDataDir();
after(() => rm(folder, { recursive: true, force: true }));

let written = 0;

async function write(release: SmallRelease): Promise<string> {
  written += 1;
  const root = path.join(folder, `r${written}`);
  for (const [name, text] of Object.entries(release)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), text);
  }
  return root;
}

async function read(format: ReleaseFormatName, place: string, url?: string) {
  const issues: FileIssue[] = [];
  const file = await readRelease({
    path: place,
    format,
    options: url === undefined ? {} : { url },
    checkHead: () => [],
    onIssue: (issue) => issues.push(issue),
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  const named = issues.map(({ file: of, line, message }) => `${of}:${line}: ${message}`);
  const none: Json = {};
  if (file === undefined) return { issues: named, head: none, model: undefined };
  const unpacking = unpack(file.columns.packed);
  for (const piece of file.columns.pieces(1 << 16)) unpacking.add(piece);
  const model = new CodeSystemModel(unpacking.finish());
  file.close();
  return { issues: named, head: file.head, model };
}

/** The code in one line: display, parents, names and properties. */
function line(model: CodeSystemModel | undefined, code: string): string {
  assert.ok(model !== undefined);
  const place = model.find(code);
  assert.notEqual(place, -1, `${code} is not there`);
  const parents = Array.from(model.hierarchy.parentsOf(place), (each) => model.code(each)).sort();
  const names = model.designations(place).map(({ language, value }) => `${language}:${value}`);
  const properties = model.properties(place).map(({ code: of }) => `${of}=${model.valuesOf(place, of).join('|')}`);
  const marks = [model.isInactive(place) ? 'inactive' : '', model.definition(place) ?? ''];
  return [model.display(place), `< ${parents.join(' ')}`, ...names, ...new Set(properties), ...marks]
    .filter((each) => each !== '' && each !== '< ')
    .join('; ');
}

test('LOINC: terms with parts, answer lists and the hierarchy, from a folder and from a ZIP archive', async () => {
  const root = await write(LOINC_RELEASE);
  const zip = path.join(folder, 'loinc.zip');
  await writeFile(zip, makeZip(LOINC_RELEASE));
  for (const place of [root, zip]) {
    const { issues, head, model } = await read('loinc', place);
    assert.deepEqual(issues, []);
    assert.deepEqual([head['url'], head['version'], head['language']], ['http://loinc.org', '9.01', 'en']);
    assert.match(String(head['copyright']), /Regenstrief/);
    assert.equal(
      line(model, '10001-1'),
      'Moonstone [Mass/volume] in Cave; < LP90001-1; en:Moonst Cave; COMPONENT=LP90001-1; PROPERTY=MCnc; ' +
        'TIME_ASPCT=Pt; SYSTEM=LP90002-9; SCALE_TYP=Qn; CLASS=ROCK; STATUS=ACTIVE; How much moonstone, roughly',
    );
    assert.match(line(model, '10002-9'), /< LP90001-1 LP99999-9; .*answer-list=LL9001-1/);
    assert.match(line(model, '10003-7'), /STATUS=DEPRECATED; inactive=true; inactive/);
    assert.equal(line(model, 'LP90001-1'), 'Moonstone; < LP99999-9; PartTypeName=COMPONENT; STATUS=ACTIVE');
    assert.equal(line(model, 'LP99999-9'), 'Stones');
    assert.equal(line(model, 'LL9001-1'), 'Colours');
    assert.equal(line(model, 'LA9002-9'), 'Blue; LIST=LL9001-1|LL9002-9');
    assert.equal(model?.size, 3 + 3 + 1 + 3 + 2);
  }
});

test('ICD-10-SE: rows of one code are one concept', async () => {
  const { issues, head, model } = await read('icd-10-se', await write(ICD_RELEASE), 'urn:icd');
  assert.deepEqual(issues, []);
  assert.deepEqual([head['url'], head['title'], head['language']], ['urn:icd', 'ICD-10-SE', 'sv']);
  assert.equal(
    line(model, 'X01'),
    'Trollfeber; < X00-X09; la:Febris trollis; valid-from=1997-01-01; inclusion=Jättefeber|Vättefeber; ' +
      'exclusion=Älvsjuka (X02); Feber efter möte med troll',
  );
  assert.equal(line(model, 'X01.1'), 'Trollfeber, "akut"; < X01; valid-from=2020-01-01');
  assert.equal(model?.size, 4);
});

test('KVÅ: several tables are one code system', async () => {
  const { issues, head, model } = await read('kva', await write(KVA_RELEASE), 'urn:kva');
  assert.deepEqual(issues, []);
  assert.deepEqual(head['property'], [{ code: 'note', description: 'Anmärkning', type: 'string' }]);
  assert.equal(line(model, 'YAA00'), 'Svansklippning; < Y');
  assert.equal(line(model, 'YZ001'), 'Samtal med troll; < Y; note=Ute');
});

test('ATC: the hierarchy is in the codes, and doses are kept together', async () => {
  const root = await write(ATC_RELEASE);
  const { issues, head, model } = await read('atc', path.join(root, 'atc.csv'));
  assert.deepEqual(issues, []);
  assert.equal(head['url'], 'http://www.whocc.no/atc');
  assert.equal(line(model, 'X01AA01'), 'dustol; < X01AA; ddd=2 ml O|1 ml P slow');
  assert.equal(line(model, 'X01AA'), 'Plain wing oils; < X01A');
  assert.equal(line(model, 'X01'), 'WINGS; < X');
});

test('a table without parents has its blocks by their ranges', async () => {
  const rows = ['Kod;Titel', 'X00-X99;All', 'X00-X09;Some', 'X01;One', 'X011;Below one', 'X20;Twenty', 'Y01;Alone'];
  const { issues, model } = await read('kva', await write({ 'a.csv': rows.join('\n') }), 'urn:a');
  assert.deepEqual(issues, []);
  assert.deepEqual(
    ['X00-X09', 'X01', 'X011', 'X20', 'Y01'].map((code) => line(model, code)),
    ['Some; < X00-X99', 'One; < X00-X09', 'Below one; < X01', 'Twenty; < X00-X99', 'Alone'],
  );
});

test('ClaML: classes with rubrics, languages and modifiers', async () => {
  const { issues, head, model } = await read('claml', await write(CLAML_RELEASE), 'urn:ftc');
  assert.deepEqual(issues, []);
  assert.deepEqual(
    [head['title'], head['version'], head['date'], head['language']],
    ['Fairy tale classification', '2026', '2026-01-31', 'en'],
  );
  assert.equal(line(model, 't'), 'Trolls & giants; sv:Troll; kind=chapter');
  assert.equal(
    line(model, 't1'),
    'Singing of trolls; < t; kind=category; usage=aster; exclusion=whispers t2; Loud sounds. Made by trolls.',
  );
  assert.equal(line(model, 't1.0'), 'Singing of trolls, by day; < t1; modified=true');
  assert.equal(line(model, 't2.1'), 'Whispers, by night; < t2; modified=true');
  assert.deepEqual([model?.find('t2.0'), model?.size], [-1, 6]);
});

test('the encoding of a ClaML file is the one that it names', async () => {
  const text = (CLAML_RELEASE['classification.xml'] ?? '').replace('UTF-8', 'ISO-8859-1').replace('Troll<', 'Tröll<');
  const root = await write({});
  await mkdir(root, { recursive: true });
  await writeFile(path.join(root, 'a.xml'), Buffer.from(text, 'latin1'));
  const { issues, model } = await read('claml', root, 'urn:ftc');
  assert.deepEqual(issues, []);
  assert.match(line(model, 't'), /sv:Tröll/);
});

const changed = (release: SmallRelease, name: RegExp, from: string, to: string): SmallRelease =>
  Object.fromEntries(
    Object.entries(release).map(([file, text]) => [file, name.test(file) ? text.replace(from, to) : text]),
  );

/** The format, the release, and the issues as `file:line: message`. */
const ERRORS: readonly (readonly [format: ReleaseFormatName, release: SmallRelease, issues: readonly RegExp[]])[] = [
  ['loinc', { 'x.csv': '' }, [/^undefined:1: the release has no file Loinc\.csv$/]],
  [
    'loinc',
    changed(LOINC_RELEASE, /Loinc\.csv/, '"LONG_COMMON_NAME"', '"NAME"'),
    [/LoincTable\/Loinc\.csv:1: there is no column LONG_COMMON_NAME$/],
  ],
  [
    'loinc',
    { 'Loinc.csv': 'LOINC_NUM,COMPONENT\n1-8,x\n' },
    [/^Loinc\.csv:1: there is no column LONG_COMMON_NAME or STATUS$/],
  ],
  [
    'loinc',
    changed(LOINC_RELEASE, /Loinc\.csv/, '"10003-7"', '"10002-9"'),
    [/Loinc\.csv:4: the code 10002-9 stands on line 3 of .*Loinc\.csv already$/],
  ],
  [
    'loinc',
    changed(LOINC_RELEASE, /Hierarchy/, '"LP90001-1","10001-1"', '"LP90001-1","10009-9"'),
    [/ComponentHierarchyBySystem\.csv:4: the code 10009-9 is in no table of the release$/],
  ],
  [
    'loinc',
    changed(LOINC_RELEASE, /Part\.csv/, '"Any cave",', ''),
    [/PartFile\/Part\.csv:3: there are 4 cells, and 5 columns$/],
  ],
  ['icd-10-se', { 'a.pdf': '' }, [/there is no table/]],
  ['icd-10-se', { 'a.tsv': 'Code\tTitel\nX\tY\n' }, [/^a\.tsv:1: there is no column Kod$/]],
  [
    'icd-10-se',
    changed(ICD_RELEASE, /tsv/, '"X01"\t"Trollfeber, ', '"X99"\t"Trollfeber, '),
    [/^icd-10-se\.tsv:5: there is no code X99, which is said to be above or below$/],
  ],
  ['kva', { 'a.csv': 'Kod;Titel\nX;"Open\n' }, [/^a\.csv:2: a quoted cell is not closed/]],
  ['atc', { 'a.csv': '' }, [/a\.csv:1: the first row must name the columns/]],
  ['claml', { 'a.xml': '<ClaML><Class code="a"/>\n<Class>' }, [/^a\.xml:2: code is missing|a\.xml:2: /]],
  ['claml', { 'a.xml': '<ClaML>\n<Class code="a"></Klass></ClaML>' }, [/^a\.xml:2: the file is no well-formed XML/]],
  ['claml', { 'a.xml': '<html/>' }, [/^a\.xml:1: the file is no ClaML, but html$/]],
  [
    'claml',
    changed(CLAML_RELEASE, /xml/, '<ModifiedBy code="M1"/>', '<ModifiedBy code="M9"/>'),
    [/^classification\.xml:\d+: there is no modifier M9, which t1 is modified by$/],
  ],
];

test('the version of LOINC is in the name of the folder that is imported', async () => {
  const inside = path.join(await write(LOINC_RELEASE), 'Loinc_9.01');
  for (const place of [inside, `${inside}/`]) {
    const { issues, head } = await read('loinc', place);
    assert.deepEqual([issues, head['version']], [[], '9.01'], place);
  }
});

test('what is not there is named', async () => {
  await assert.rejects(read('loinc', path.join(folder, 'nowhere')), /nowhere: there is no such folder or file$/);
});

for (const [format, release, expected] of ERRORS) {
  test(`${format}: ${expected.map(String).join(', ')}`, async () => {
    const { issues, model } = await read(format, await write(release), 'urn:x');
    assert.equal(model, undefined);
    assert.equal(issues.length >= expected.length, true, issues.join('\n'));
    for (const [at, each] of expected.entries()) assert.match(issues[at] ?? '', each);
  });
}
