// Reading code system files: the result does not depend on where the read pieces end, and every error has its line.
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { largeJson, largeNdjson } from '#test/support/engine/large-code-system.ts';
import type { Json } from '../json.ts';
import { readColumns } from '../model/read-code-system.ts';
import { allOf } from '../model/steps.ts';
import type { FileIssue } from './assembly.ts';
import { readCodeSystemFile } from './code-system-file.ts';
import { JsonFile } from './json-file.ts';
import { SpillFiles } from './spill-file.ts';
import { memoryBytes, spilledBytes } from './testing/bytes.ts';

const folder = await temporaryDataDir();
after(() => rm(folder, { recursive: true, force: true }));

const checkHead = ({ status }: Json) => (status === 'active' ? [] : ['no such status']);

async function read(name: string, content: string | Buffer, head?: Json) {
  await writeFile(path.join(folder, name), content);
  const issues: FileIssue[] = [];
  const file = await readCodeSystemFile({
    path: path.join(folder, name),
    ...(head === undefined ? {} : { head }),
    checkHead,
    onIssue: (issue) => issues.push(issue),
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  return { file, reported: issues.map(({ line, message }) => `${name}:${line}: ${message}`) };
}

test('members of the code system keep the digits of decimals', async () => {
  const extension = '"extension":[{"url":"http://a.example/x","valueDecimal":1.50}]';
  const head = `{"resourceType":"CodeSystem","url":"urn:r","status":"active","content":"complete",${extension}`;
  for (const [name, content] of [
    ['exact.json', `${head},"concept":[{"code":"a"}]}`],
    ['exact.ndjson', `${head}}\n{"code":"a"}\n`],
  ] as const) {
    const { file, reported } = await read(name, content);
    assert.deepEqual(reported, []);
    assert.match(JSON.stringify(file?.head), /"valueDecimal":1\.50/, name);
    file?.close();
  }
});

test('a file with errors has each named with its line', async () => {
  const head = '{"resourceType":"CodeSystem","url":"urn:r","status":"active","content":"complete"';
  const invalid: [name: string, text: string | Buffer, reported: RegExp[]][] = [
    ['empty.json', '', [/:1: the file ends before its JSON does/]],
    ['list.json', '[]', [/:1: the file must hold a CodeSystem/]],
    ['cut.json', `${head},"concept":[\n{"code":"a"},\n{"code":"b"`, [/:3: the file ends before/]],
    ['behind.json', `${head},"concept":[{"code":"a"}]}\n{}`, [/:2: there is text after/]],
    [
      'late.json',
      `{"concept":[{"code":"a"}],\n"url":"urn:r"}`,
      [/:1: the resourceType must be CodeSystem, and stand before.*url.*content/],
    ],
    ['after.json', `${head},"concept":[{"code":"a"}],\n"title":"x"}`, [/:1: all other members must stand before/]],
    ['object.json', `${head},"concept":{"code":"a"}}`, [/:1: concept must be a list/]],
    ['none.json', `${head}}`, [/:1: the file holds no concepts/]],
    ['status.json', `${head.replace('active', 'old')},"concept":[{"code":"a"}]}`, [/:1: no such status/]],
    [
      'many.json',
      `${head},"concept":[\n{"code":" a"},\n{"code":"b","dislpay":"B"},\n{"code":"c","concept":[\n{"code":"c"},{"display":"d"},\n{"code":"e" "f"}]},\n{"code":"p","property":[{"code":"x","valueBoolean":"yes"},{"code":"y"}],"designation":[{}]}]}`,
      [
        /:2: code must be/,
        /:3: dislpay is no member/,
        /:5: the code c stands on line 4 already/,
        /:5: code is missing/,
        /:6: the concept is not valid JSON/,
        /:7: designation\[0\] has no value/,
        /:7: property\[0\] valueBoolean must be/,
        /:7: property\[1\] has no value/,
      ],
    ],
    ['first.ndjson', '{"code":"a"}\n', [/:1: the resourceType must be CodeSystem/]],
    ['whole.ndjson', `${head},"concept":[{"code":"a"}]}\n`, [/:1: the concepts must stand on lines of their own/]],
    [
      'many.ndjson',
      `${head}}\n{"code":"a","parent":"z"}\n\n{"code"\n{"code":"a"}\n{"code":"b","parent":7}\n`,
      [
        /:4: the line is no JSON object/,
        /:5: the code a stands on line 2/,
        /:6: parent must be a code/,
        /:2: there is no code z/,
      ],
    ],
    ['columns.csv', 'kode,display\n', [/:1: there is no column "kode"; the column code is missing/]],
    ['bytes.csv', Buffer.from('code\na\n\xff\n', 'latin1'), [/:3: the line is not in UTF-8/]],
    ['bytes.ndjson', Buffer.from(`${head}}\n{"code":"\xff"}`, 'latin1'), [/:2: the line is not in UTF-8/]],
    ['bytes.json', Buffer.from(`${head},"concept":[\n{"code":"\xff"}]}`, 'latin1'), [/:2: the file is not in UTF-8/]],
    [
      'many.csv',
      'code,parent,property:n:integer\na,,1\nb,"a|q",x\nc\n"d,,\n',
      [
        /:3: property\[0\] valueInteger must be/,
        /:4: there are 1 cells, and 3 columns/,
        /:5: a quoted cell is not closed/,
      ],
    ],
  ];
  const csvHead = { resourceType: 'CodeSystem', url: 'urn:r', status: 'active', content: 'complete' };
  for (const [name, text, expected] of invalid) {
    const { file, reported } = await read(name, text, name.endsWith('.csv') ? csvHead : undefined);
    assert.equal(file, undefined, name);
    assert.equal(reported.length, expected.length, `${name}: ${reported.join('\n')}`);
    for (const line of expected)
      assert.ok(
        reported.some((each) => line.test(each)),
        `${name}: ${line}: ${reported.join('\n')}`,
      );
  }
});

test('nested JSON and lines of JSON give the same code system as the resource', async () => {
  const text = [...largeJson(2_000)].join('');
  const expected = memoryBytes(readColumns(JSON.parse(text), true));
  const plain = await read('a.json', `\uFEFF ${text}`);
  assert.deepEqual(plain.reported, []);
  assert.deepEqual(spilledBytes(plain.file?.columns), expected);
  assert.deepEqual(spilledBytes((await read('a.json.gz', gzipSync(text))).file?.columns), expected);
  const { concept: _concept, ...head } = JSON.parse(text);
  assert.deepEqual(plain.file?.head, head);
  const lines = await read('a.ndjson', [...largeNdjson(2_000)].join('').replaceAll('\n', '\r\n'));
  assert.deepEqual([lines.reported, lines.file?.columns.size], [[], 2_000]);
});

test('codes that are their own ancestors are errors; each circle is reported once, with all other errors', async () => {
  const csv =
    'code,parent\ntop,\na,c\nb,a\nc,b|top\nbelow,a\nx,y\nend,below|x\ny,x\nself,top|self\nlost,nowhere\ntop,\n';
  const { file, reported } = await read('circles.csv', csv, {
    resourceType: 'CodeSystem',
    url: 'urn:r',
    status: 'active',
    content: 'complete',
  });
  assert.equal(file, undefined);
  assert.deepEqual(reported, [
    'circles.csv:12: the code top stands on line 2 already',
    'circles.csv:10: the code self stands above itself: self → self',
    'circles.csv:11: there is no code nowhere, which is said to be above or below',
    'circles.csv:3: the code a stands above itself: a → c → b → a',
    'circles.csv:7: the code x stands above itself: x → y → x',
  ]);
});

test('a file that cannot be unpacked is named', async () => {
  const whole = gzipSync(Buffer.from('code,display\na,A\n'));
  for (const [name, bytes] of [
    ['rubbish.csv.gz', Buffer.from('code,display\na,A\n')],
    ['cut.csv.gz', whole.subarray(0, -5)],
    ['behind.csv.gz', Buffer.concat([whole, Buffer.from('rubbish')])],
  ] as const) {
    const head = { resourceType: 'CodeSystem', url: 'urn:r', status: 'active', content: 'complete' };
    await assert.rejects(read(name, bytes, head), new RegExp(`${name}: it cannot be unpacked as gzip: `));
  }
});

test('JSON is read alike wherever its pieces end', () => {
  const concept = [
    {
      code: 'a',
      display: 'ä "concept": [',
      designation: [{ value: '}]\\' }],
      concept: [{ code: 'b', concept: [] }, { code: 'å' }],
    },
    { code: 'concept', display: 'concept', property: [{ code: 'concept', valueString: 'x' }] },
  ];
  const resource = {
    resourceType: 'CodeSystem',
    url: 'urn:c',
    status: 'active',
    content: 'complete',
    name: 'concept',
    concept,
  };
  const text = Buffer.from(JSON.stringify(resource, null, 1));
  const expected = memoryBytes(readColumns(JSON.parse(text.toString()), true));
  const files = new SpillFiles(folder);
  for (let size = 1; size <= text.length; size += size < 40 ? 1 : 37) {
    const file = new JsonFile({ onIssue: ({ message }) => assert.fail(message), checkHead, files });
    for (let start = 0; start < text.length; start += size) file.push(Buffer.from(text.subarray(start, start + size)));
    assert.deepEqual(spilledBytes(allOf(file.end().finish())), expected, String(size));
    files.closeAll();
  }
});
