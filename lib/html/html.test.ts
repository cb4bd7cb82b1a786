import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseLanguage, html } from './html.ts';

test('everything put into markup is escaped, in text and in attributes', () => {
  const evil = `<script>alert("x")</script>'&`;
  const { markup } = html`<a title="${evil}">${evil}</a>`;
  const escaped = '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;';
  assert.equal(markup, `<a title="${escaped}">${escaped}</a>`);
});

test('markup nests, lists join, and nothing shows for undefined and false', () => {
  const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`);
  assert.equal(html`<ul>${items}</ul>${undefined}${false}${0}`.markup, '<ul><li>a</li><li>&lt;b&gt;</li></ul>0');
});

test('the language is the one asked for, else the one preferred, else Swedish', () => {
  assert.equal(chooseLanguage('en', 'sv'), 'en');
  assert.equal(chooseLanguage('de', 'en-GB,sv;q=0.9'), 'en');
  assert.equal(chooseLanguage(undefined, 'de, sv-SE;q=0.8, en;q=0.7'), 'sv');
  assert.equal(chooseLanguage(undefined, 'sv;q=0, en;q=0.1'), 'en');
  assert.equal(chooseLanguage(undefined, 'sv;q=x,en'), 'en');
  assert.equal(chooseLanguage(undefined, undefined), 'sv');
});
