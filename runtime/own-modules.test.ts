// The hook that resolves imports between own modules finds what Node finds.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createResolve } from './own-modules.ts';

const ROOT = path.join(import.meta.dirname, '..');
const root = `${pathToFileURL(ROOT).href}/`;
const resolve = createResolve(root);

/** Any specifier: it is answered by the hook. */
const PROBE = 'own-modules-probe';

/** Undefined where Node is to decide. */
function resolved(specifier: string, parent: string): string | undefined {
  const context = { conditions: [], importAttributes: {}, parentURL: parent };
  const { url } = resolve(specifier, context, () => ({ url: 'of Node' }));
  return url === 'of Node' ? undefined : url;
}

test('every import of an own module is the file that Node finds', async () => {
  const files = globSync('{lib,fhir,clients,services,gateway,runtime}/**/*.ts', { cwd: ROOT });
  const seen = new Set<string>();
  for (const file of files) {
    const parent = root + file;
    for (const [, specifier = ''] of readFileSync(path.join(ROOT, file), 'utf8').matchAll(
      /^\S.* from '([#.][^']+)';$/gm,
    )) {
      const key = specifier.startsWith('#') ? specifier : `${path.dirname(file)} ${specifier}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const found = resolved(specifier, parent);
      if (found === undefined) continue;
      assert.equal(found, nodeResolves(specifier, parent), `${specifier} in ${file}`);
    }
  }
  assert.ok(seen.size > 2_000, String(seen.size));
});

/** What Node makes of it, which looks at the file system. */
function nodeResolves(specifier: string, parentURL: string): string {
  let url = '';
  const hooks = registerHooks({
    resolve: (asked, context, next) => {
      const found = next(specifier, { ...context, parentURL });
      url = found.url;
      return asked === specifier ? found : { url: 'data:text/javascript,', shortCircuit: true };
    },
  });
  try {
    import.meta.resolve(PROBE);
  } finally {
    hooks.deregister();
  }
  return url;
}

test('packages, built-in modules and what packages import are left to Node', () => {
  for (const specifier of ['typebox', 'node:fs', '#test/support/http-app.ts', './a.mjs', '/a.ts', 'file:///a.ts']) {
    assert.equal(resolved(specifier, `${root}lib/errors.ts`), undefined, specifier);
  }
  assert.equal(resolved('./a.ts', `${root}node_modules/a/index.js`), undefined);
  assert.equal(resolved('./a.ts', 'file:///elsewhere/a.ts'), undefined);
  assert.equal(resolved('../a.ts', `${root}lib/db/b.ts`), `${root}lib/a.ts`);
});
