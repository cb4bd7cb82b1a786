// The pages of the operations name every parameter that they take, and no operation takes a name unknown to them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parameterNames } from './parameter-names.ts';

const PAGES = join(import.meta.dirname, '../../../docs/reference/engine/operations');
const pageOf = (name: string) => readFileSync(join(PAGES, `${name}.md`), 'utf8');

/** Operations by their pages. */
const OPERATIONS = [
  ['expand', 'ValueSet', 'expand'],
  ['related', 'ValueSet', 'related'],
  ['validate-code', 'ValueSet', 'validate-code'],
  ['validate-code', 'CodeSystem', 'validate-code'],
  ['validate-code', 'ValueSet', 'batch-validate-code'],
  ['validate-code', 'CodeSystem', 'batch-validate-code'],
  ['lookup', 'CodeSystem', 'lookup'],
  ['closure', '', 'closure'],
  ['find-matches', 'CodeSystem', 'find-matches'],
  ['subsumes', 'CodeSystem', 'subsumes'],
  ['translate', 'ConceptMap', 'translate'],
] as const;

describe('the page of an operation, or the page of all, names each parameter', () => {
  const ofAll = pageOf('parameters');
  for (const [page, type, name] of OPERATIONS) {
    test(`${type}/$${name}`, () => {
      const text = pageOf(page);
      const names = [...parameterNames({ type, name })];
      assert.ok(names.length > 10, 'it is an operation');
      assert.deepEqual(
        names.filter((each) => !text.includes(`\`${each}\``) && !ofAll.includes(`\`${each}\``)),
        [],
      );
      assert.ok(text.includes('(parameters.md)'), 'it refers to the page of all');
    });
  }
});
