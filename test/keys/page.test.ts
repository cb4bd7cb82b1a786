// The examples of docs/operations/keys.md are run, in their order, and answer what the page shows.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { MINUTE_MS } from '#lib/clock.ts';
import { makeKeySite, makeSealedPatients } from '../support/system/key-site.ts';

const PAGE = 'docs/operations/keys.md';

interface Example {
  readonly args: readonly string[];
  /** What the page shows, without what differs from run to run. */
  readonly shown: readonly string[];
}

/** The commands of the block after `<!-- run: name -->`, each with the lines of comment that follow it. */
function examplesOf(page: string, name: string): Example[] {
  const block = new RegExp(`<!-- run: ${name} -->\\n\`\`\`sh\\n(.*?)\`\`\``, 's').exec(page)?.[1];
  assert.ok(block !== undefined, name);
  return block
    .split('npx kedja keys ')
    .slice(1)
    .map((text) => {
      const [command = '', ...lines] = text.trimEnd().split('\n');
      return { args: command.split(' '), shown: lines.map((line) => withoutChance(line.replace(/^# ?/, ''))) };
    });
}

function withoutChance(line: string): string {
  return line
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/in \S+(?=keys\/retired)/, 'in DATA/')
    .replace(/^[\w-]{43} /, 'KEY ')
    .replace(/signing( +TIME +- +)\d+/, 'signing$1TOKENS')
    .replace(/ +/g, ' ')
    .trimEnd();
}

test(`the examples of ${PAGE} print what the page shows`, async (t) => {
  const { database, dataDir, folder, keys } = await makeKeySite(t);
  const page = await readFile(path.join(import.meta.dirname, '..', '..', PAGE), 'utf8');
  await makeSealedPatients(database, dataDir, 4);
  await keys('rotate').ended;
  async function run(name: string) {
    for (const { args, shown } of examplesOf(page, name)) {
      const { code, stdout, stderr } = await keys(...args).ended;
      assert.deepEqual([code, stderr], [0, ''], args.join(' '));
      assert.deepEqual(stdout.trimEnd().split('\n').map(withoutChance), shown, args.join(' '));
    }
  }
  /** As if so much time had passed since it began to seal. */
  async function age(ms: number) {
    const file = path.join(folder, 'personnummer.2.key');
    const [secret] = (await readFile(file, 'utf8')).split('\n');
    const then = new Date(Date.now() - ms).toISOString();
    await writeFile(file, `${secret}\ncreated ${then}\nseals ${then}\n`);
  }
  await run('rotate');
  await age(0);
  await run('reseal');
  await age(2 * MINUTE_MS);
  await run('retire');
});
