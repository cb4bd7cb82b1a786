import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonWriter, jsonPiece } from './json-writer.ts';

const TEXTS = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\n\u0000\u001f',
    '\u007f',
    'smör',
    '日本語 🙂',
    '\u2028',
    '\ud800',
    'x'.repeat(50_000),
  ),
);

test('a text is written as by JSON.stringify', () => {
  const writer = new JsonWriter();
  fc.assert(
    fc.property(fc.array(TEXTS), (texts) => {
      writer.begin();
      writer.piece(jsonPiece('["å"'));
      for (const text of texts) {
        writer.text(',');
        writer.string(text);
      }
      writer.piece(jsonPiece(']'));
      assert.equal(writer.written().toString(), JSON.stringify(['å', ...texts]));
    }),
  );
});

test('bytes in UTF-8 are written as the text that they hold', () => {
  const writer = new JsonWriter();
  fc.assert(
    fc.property(TEXTS, TEXTS, (text, other) => {
      const [before, bytes] = [Buffer.from(other), Buffer.from(text)];
      const all = new Uint8Array(Buffer.concat([before, bytes, before]));
      writer.begin();
      writer.utf8(all, before.length, before.length + bytes.length);
      assert.equal(writer.written().toString(), JSON.stringify(wellFormed(text)));
    }),
  );
});

/** UTF-8 has no half of a surrogate pair. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : Buffer.from(text).toString();
}

test('what has been written is written again, also where the buffer grows', () => {
  const writer = new JsonWriter();
  fc.assert(
    fc.property(TEXTS, fc.integer({ min: 1, max: 4 }), (text, times) => {
      writer.begin();
      writer.text('[');
      const start = writer.length;
      writer.string(text);
      const end = writer.length;
      for (let time = 0; time < times; time += 1) {
        writer.text(',');
        writer.repeat(start, end);
      }
      writer.text(']');
      const all = Array.from({ length: times + 1 }, () => JSON.parse(JSON.stringify(text)) as string);
      assert.deepEqual(JSON.parse(writer.written().toString()), all);
    }),
  );
});
