// The digest of extraction changes with the code and the tables, and with nothing else of their files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { EXTRACTION_DIGEST } from '#fhir/search/extract/generated/extraction-digest.ts';
import { extractionDigest, plainCode } from './extraction-digest.ts';

/** The digest where one file has another text. */
function digestWith(file: string, change: (text: string) => string): string {
  let isRead = false;
  const digest = extractionDigest((url) => {
    const text = readFileSync(url, 'utf8');
    if (!url.pathname.endsWith(file)) return text;
    isRead = true;
    const changed = change(text);
    assert.notEqual(changed, text, file);
    return changed;
  });
  assert.ok(isRead, `${file} is not of the digest`);
  return digest;
}

const CODE = [
  'fhir/search/extract/extract.ts',
  'fhir/search/extract/normalise.ts',
  'fhir/search/parameters/overlay.ts',
  'fhir/ucum/canonical-quantity.ts',
  'fhir/primitives/date-time.ts',
  'lib/guid.ts',
];

test('comments, types and format of the code leave the digest as it is', () => {
  assert.equal(extractionDigest(), EXTRACTION_DIGEST);
  for (const file of CODE) {
    assert.equal(
      digestWith(file, (text) => `\n// Another head.\n${text}\n/* the last */\n`),
      EXTRACTION_DIGEST,
      file,
    );
    assert.equal(
      digestWith(file, (text) => `${text}\nexport interface Added { readonly name: string }\n`),
      EXTRACTION_DIGEST,
    );
  }
});

test('code and tables change the digest', () => {
  for (const file of CODE) {
    assert.notEqual(
      digestWith(file, (text) => `${text}\nexport const ADDED = 1;\n`),
      EXTRACTION_DIGEST,
      file,
    );
  }
  for (const table of ['generated/search-parameters.json', 'generated/r5-compartments.json']) {
    assert.notEqual(
      digestWith(table, (text) => text.replace('Patient', 'Person')),
      EXTRACTION_DIGEST,
      table,
    );
  }
});

const SAME: readonly (readonly [string, string])[] = [
  ['const a = 1; // one', 'const a = 1;'],
  ['/** Doc. */\nexport function f(a: number): number { return a; }', 'export function f(a) {\n  return a;\n}'],
  ['const a = [1,\n  2 /* two */];', 'const a = [1, 2];'],
  ['type A = 1;\nconst a: A = 1;', 'const a = 1;'],
];
const DIFFERENT: readonly (readonly [string, string])[] = [
  ["const a = 'x // y';", "const a = 'x ';"],
  ['const a = `x /* y */ z`;', 'const a = `x  z`;'],
  ['const a = `x\n  // y\n`;', 'const a = `x\n`;'],
  ['const a = `$' + '{b /* c */} // d`;', 'const a = `$' + '{b}`;'],
  ['const a = /[/]\\/\\/x/;', 'const a = /[/]/;'],
  ['const a = b / 2; // c\nconst d = /\\/* e/g;', 'const a = b / 2;\nconst d = /\\/ e/g;'],
  ["const a = ' ';", "const a = '';"],
  ["import './a.ts';", ''],
];

test('text in the form of a comment within a string, a template or a regular expression is code', () => {
  for (const [one, other] of SAME) assert.equal(plainCode(one), plainCode(other), one);
  for (const [one, other] of DIFFERENT) assert.notEqual(plainCode(one), plainCode(other), one);
});
