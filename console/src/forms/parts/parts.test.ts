// Which questions are on which page and tab, and where something is wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FormItem } from '../form.ts';
import { issuesWithin, type Part, pagesOf, tabsOf } from './parts.ts';

const common = { label: '', required: false, repeats: false, read_only: false };
const question = (id: string): FormItem => ({ ...common, link_id: id, type: 'string' });
const text = (id: string): FormItem => ({ ...common, link_id: id, type: 'display' });
const group = (id: string, control: string | undefined, items: FormItem[], more: Partial<FormItem> = {}): FormItem => ({
  ...common,
  link_id: id,
  type: 'group',
  items,
  ...(control === undefined ? {} : { control }),
  ...more,
});
const idsOf = (parts: readonly Part[] | undefined) =>
  parts?.map(({ id, items }) => [id, items.map(({ link_id: each }) => each)]);

test('each page has what follows it, and the first what is before', () => {
  const one = group('one', 'page', [question('a')]);
  const two = group('two', 'page', [question('b')]);
  assert.deepEqual(idsOf(pagesOf([text('hello'), one, question('between'), two, text('end')])), [
    ['one', ['hello', 'one', 'between']],
    ['two', ['two', 'end']],
  ]);
  assert.equal(pagesOf([one, question('c')]), undefined, 'one page is no pages');
  assert.equal(pagesOf([question('c')]), undefined);
});

test('each question and group of a group of tabs is one, with the texts before it', () => {
  const items = [text('first'), question('a'), text('second'), group('b', undefined, [question('c')]), text('last')];
  assert.deepEqual(idsOf(tabsOf(group('t', 'tab-container', items))), [
    ['a', ['first', 'a']],
    ['b', ['second', 'b', 'last']],
  ]);
  assert.equal(tabsOf(group('t', 'tab-container', [question('a')])), undefined, 'one tab is no tabs');
  assert.equal(tabsOf(group('t', 'tab-container', items, { repeats: true })), undefined);
  assert.equal(tabsOf(group('t', 'page', items)), undefined);
});

test('issues are counted where they are', () => {
  const [part] = tabsOf(group('t', 'tab-container', [question('a'), question('a.1')])) ?? [];
  assert.ok(part);
  const issues = new Map([
    ['/t.0/a.0', 1],
    ['/t.0/a.1.0', 1],
    ['/t.0', 1],
  ]);
  assert.equal(issuesWithin(part, '/t.0', issues), 2, 'an id may begin like another: at most one too many is marked');
});
