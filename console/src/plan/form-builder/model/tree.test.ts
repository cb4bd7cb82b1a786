import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withQuestionsRenamed } from './expressions.ts';
import { copyOf, everyItem, type Item, stepFrom, withMoved, without } from './tree.ts';

const leaf = (linkId: string): Item => ({ linkId, type: 'string' });
const FORM: readonly Item[] = [
  leaf('a'),
  { linkId: 'g', type: 'group', item: [leaf('b'), { linkId: 'h', type: 'group', item: [leaf('c')] }] },
  leaf('d'),
];

/** `a g(b h(c)) d` */
function shape(items: readonly Item[]): string {
  return items.map(({ linkId, item }) => (item === undefined ? linkId : `${linkId}(${shape(item)})`)).join(' ');
}

function stepped(items: readonly Item[], id: string, by: -1 | 1): readonly Item[] {
  const place = stepFrom(items, id, by);
  return place === undefined ? items : withMoved(items, id, place);
}

test('a step goes past the next item, into a group and out of it', () => {
  const walk = (id: string, by: -1 | 1, steps: number) => {
    let items = FORM;
    return Array.from({ length: steps }, () => {
      items = stepped(items, id, by);
      return shape(items);
    });
  };
  assert.deepEqual(walk('a', 1, 7), [
    'g(a b h(c)) d',
    'g(b a h(c)) d',
    'g(b h(a c)) d',
    'g(b h(c a)) d',
    'g(b h(c) a) d',
    'g(b h(c)) a d',
    'g(b h(c)) d a',
  ]);
  assert.deepEqual(walk('d', -1, 7), [
    'a g(b h(c) d)',
    'a g(b h(c d))',
    'a g(b h(d c))',
    'a g(b d h(c))',
    'a g(d b h(c))',
    'a d g(b h(c))',
    'd a g(b h(c))',
  ]);
  assert.equal(stepFrom(FORM, 'a', -1), undefined);
  assert.equal(stepFrom(FORM, 'd', 1), undefined);
});

test('an item is not moved into itself, and a group that becomes empty stays', () => {
  assert.equal(withMoved(FORM, 'g', { parent: 'h', index: 0 }), FORM);
  assert.equal(shape(withMoved(FORM, 'c', { parent: undefined, index: 0 })), 'c a g(b h) d');
  assert.equal(shape(without(FORM, 'g')), 'a d');
});

test('a copy has names of its own, and its conditions are about its own questions', () => {
  const group: Item = {
    linkId: 'g',
    type: 'group',
    item: [
      leaf('b'),
      {
        ...leaf('c'),
        enableWhen: [
          { question: 'b', operator: 'exists', answerBoolean: true },
          { question: 'a', operator: 'exists', answerBoolean: true },
        ],
      },
    ],
  };
  const copy = copyOf(group, withQuestionsRenamed);
  const [, b, c] = everyItem([copy]);
  assert.equal(new Set([...everyItem([copy]), ...everyItem([group])].map(({ linkId }) => linkId)).size, 6);
  assert.deepEqual(
    c?.enableWhen?.map(({ question }) => question),
    [b?.linkId, 'a'],
  );
});
