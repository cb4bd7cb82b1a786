// Mutations of narratives: markup that R5 allows and does not allow, and what a narrative must have.
import { pick } from '#test/support/random.ts';
import { changeObject, changeRoot, isOf, type Mutation } from './places.ts';

const XHTML = 'xmlns="http://www.w3.org/1999/xhtml"';
const DIVS: Readonly<Record<string, readonly string[]>> = {
  'narrative with active content': [
    `<div ${XHTML}>x<script>alert(1)</script></div>`,
    `<div ${XHTML}><p onclick="x()">x</p></div>`,
    `<div ${XHTML}><a href="javascript:x()">x</a></div>`,
    `<div ${XHTML}><form><input type="text"/></form></div>`,
  ],
  'narrative without its namespace': ['<div>x</div>', '<div xmlns="http://example.org/">x</div>'],
  'narrative without content': [`<div ${XHTML}> </div>`, `<div ${XHTML}><p></p></div>`],
  'narrative that is not well-formed': [
    `<div ${XHTML}><b><i>x</b></i></div>`,
    `<div ${XHTML}><p>x</div>`,
    `<div ${XHTML}>a & b</div>`,
    `<div ${XHTML}><p class=x>y</p></div>`,
    `<div ${XHTML}><p>x</div></p>`,
    `<div ${XHTML}>a < b</div>`,
    `<div ${XHTML}>x</div><div ${XHTML}>y</div>`,
  ],
  'narrative with entities': [`<div ${XHTML}>a&nbsp;b</div>`, `<div ${XHTML}>a&#160;b &amp; c</div>`],
  'narrative of allowed markup': [
    `<div ${XHTML}><p style="color: red" class="x" id="y">x</p></div>`,
    `<div ${XHTML}><table border="1"><tr><td colspan="2">x</td></tr></table></div>`,
    `<div ${XHTML}>x<!-- y --></div>`,
    `<div ${XHTML}><img src="http://example.org/x.png" alt="x"/></div>`,
    `<div ${XHTML}><a href="#unheard-of">x</a></div>`,
    `<div ${XHTML}>x<img src="#unheard-of" alt="x"/></div>`,
    `<div ${XHTML}><a name="here">x</a><a href="#here">y</a></div>`,
    `<div ${XHTML}><h2>x</h2><ul><li>y<br/>z</li></ul><blockquote>q</blockquote></div>`,
  ],
  'narrative that is no div': [`<p ${XHTML}>x</p>`, 'x'],
};

export const NARRATIVES: Readonly<Record<string, Mutation>> = {
  ...Object.fromEntries(
    Object.entries(DIVS).map(([name, divs]): [string, Mutation] => [
      name,
      (places) =>
        changeRoot(places, (root) => {
          root['text'] = { status: 'generated', div: pick(places.random, divs) };
        }),
    ]),
  ),
  'narrative without a status': (places) =>
    changeObject(places, isOf('Narrative'), ({ object }) => {
      delete object['status'];
    }),
  'narrative of another status': (places) =>
    changeObject(places, isOf('Narrative'), ({ object }) => {
      object['status'] = 'unheard-of';
    }),
  'narrative without a div': (places) =>
    changeObject(places, isOf('Narrative'), ({ object }) => {
      delete object['div'];
    }),
  'narrative that is a text': (places) =>
    changeRoot(places, (root) => {
      root['text'] = `<div ${XHTML}>x</div>`;
    }),
  'narrative with an unknown element': (places) =>
    changeObject(places, isOf('Narrative'), ({ object }) => {
      object['html'] = 'x';
    }),
  'narrative whose div is an object': (places) =>
    changeObject(places, isOf('Narrative'), ({ object }) => {
      object['div'] = { text: 'x' };
    }),
  'narrative with an extension': (places) =>
    changeObject(places, isOf('Narrative'), ({ object }) => {
      object['extension'] = [{ url: 'http://example.org/fhir/StructureDefinition/unheard-of', valueString: 'x' }];
    }),
  'no narrative': (places) =>
    changeRoot(places, (root) => {
      const had = Object.hasOwn(root, 'text');
      delete root['text'];
      return had;
    }),
};
