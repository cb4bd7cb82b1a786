// What is put into the page of a first view: nothing that the policy forbids, and nothing that ends where it is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewOf } from './first-view.ts';

const NOTHING = { read: [], refused: [] };

test('the title goes to the head, and styles become rules that win over those of classes', () => {
  const html = '<title>A – Kedja</title><p style="--x:1rem;color:red">style=&quot;a&quot;</p><b style="width:50%"></b>';
  const view = viewOf(html, NOTHING);
  assert.equal(view?.title, '<title>A – Kedja</title>');
  assert.equal(
    view?.html,
    '<p data-style="--x:1rem;color:red">style=&quot;a&quot;</p><b data-style="width:50%"></b>',
    'text is untouched',
  );
  assert.equal(
    view?.styles,
    '#root [data-style="--x:1rem;color:red"]{--x:1rem;color:red}#root [data-style="width:50%"]{width:50%}',
  );
});

test('a style that could end its rule or the style sheet gives no view', () => {
  for (const style of ['color:red}*{display:none', 'a:&lt;/style&gt;', 'a:\\65', 'a:&quot;b&quot;'])
    assert.equal(viewOf(`<p style="${style}"></p>`, NOTHING), undefined, style);
});

test('a part that has failed, or waits, gives no view', () => {
  for (const mark of ['<!--$!-->', '<!--$?-->']) assert.equal(viewOf(`${mark}<p></p><!--/$-->`, NOTHING), undefined);
  assert.ok(viewOf('<!--$--><p>&lt;!--$!--&gt;</p><!--/$-->', NOTHING) !== undefined);
});

test('what was read cannot end the element that it is in', () => {
  const refused = [{ queryKey: ['a'], status: 403, body: '</script><!--<script>', requestId: undefined }];
  const { state = '' } = viewOf('', { read: [], refused }) ?? {};
  assert.doesNotMatch(state, /</);
  assert.deepEqual(JSON.parse(state).refused[0].body, refused[0]?.body);
});
