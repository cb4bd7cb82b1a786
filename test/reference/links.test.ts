// Every link between the pages of the repository leads to a file that is there, and to a heading that the file has.
import assert from 'node:assert/strict';
import { glob, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '../..');
const PAGES = ['*.md', 'docs/**/*.md', 'services/**/*.md', 'lib/**/*.md', 'fhir/**/*.md', 'bench/**/*.md'];
const LINK = /(?<!!)\[(?:[^\]\\]|\\.)*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)/g;

/** The page without what only looks like a link: code. */
const withoutCode = (page: string) => page.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** What GitHub makes of a heading. */
function anchorOf(heading: string): string {
  const text = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '');
  return text.trim().replaceAll(' ', '-');
}

function anchorsOf(page: string): Set<string> {
  const headings = page.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm);
  return new Set([...headings].map(([, heading = '']) => anchorOf(heading)));
}

test('every link between pages leads somewhere', async () => {
  const dead: string[] = [];
  let seen = 0;
  for await (const page of glob(PAGES, { cwd: ROOT })) {
    const text = await readFile(path.join(ROOT, page), 'utf8');
    for (const [, link, image] of withoutCode(text).matchAll(LINK)) {
      const [target = '', anchor = ''] = (link ?? image ?? '').split('#');
      if (/^(?:https?|mailto):/.test(target)) continue;
      seen += 1;
      const file = target === '' ? path.join(ROOT, page) : path.resolve(ROOT, path.dirname(page), decodeURI(target));
      const isThere = (await stat(file).catch(() => undefined)) !== undefined;
      if (!isThere) dead.push(`${page}: ${target}`);
      else if (anchor !== '' && !anchorsOf(await readFile(file, 'utf8')).has(anchor))
        dead.push(`${page}: ${target}#${anchor}`);
    }
  }
  assert.deepEqual(dead, []);
  assert.ok(seen > 100, `only ${seen} links were seen`);
});

test('every page of the reference is led to by another', async () => {
  const led = new Set<string>();
  const pages: string[] = [];
  for await (const page of glob('docs/reference/**/*.md', { cwd: ROOT })) pages.push(page);
  for await (const page of glob(PAGES, { cwd: ROOT })) {
    for (const [, link = ''] of withoutCode(await readFile(path.join(ROOT, page), 'utf8')).matchAll(LINK)) {
      const target = path.normalize(path.join(path.dirname(page), link.split('#')[0] ?? ''));
      if (target !== page) led.add(target);
    }
  }
  // A folder that is linked is shown with its pages.
  const isLed = (page: string) =>
    led.has(page) || (led.has(path.dirname(page)) && path.dirname(page) === 'docs/reference');
  assert.deepEqual(
    pages.filter((page) => !isLed(page)),
    [],
  );
});
