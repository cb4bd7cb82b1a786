// Parses PostgreSQL's values into JavaScript's, where the driver's own parsers would lose something.
//   int8          number; beyond 2^53 an error rather than a wrong value (select it as text)
//   date          'YYYY-MM-DD' as it is stored, never shifted by a time zone
//   timestamp     as text; columns are timestamptz, which is a Date, cut to milliseconds
//   numeric       text, as every decimal would otherwise be rounded
//   json, jsonb   parsed
import type { CustomTypesConfig } from 'pg';
import pg from 'pg';

const { builtins } = pg.types;
const ownTimestamptz: (text: string) => unknown = pg.types.getTypeParser(builtins.TIMESTAMPTZ);
const INT8_ARRAY = 1016;
const DATE_ARRAY = 1182;

function int8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} is no safe integer; select it as text`);
  return value;
}

/**
 * All connections use UTC, so a timestamp's text is a JavaScript instant but for two characters. The driver's own
 * parser splits the text and multiplies the fraction, which costs more and may lose a millisecond.
 */
function instant(text: string): unknown {
  const isPlain = text[10] === ' ' && text.endsWith('+00');
  return isPlain ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : ownTimestamptz(text);
}

/** A one-dimensional array whose elements need no quoting. */
function arrayOf<T>(element: (text: string) => T): (text: string) => (T | null)[] {
  return (text) => {
    if (text === '{}') return [];
    return text
      .slice(1, -1)
      .split(',')
      .map((part) => (part === 'NULL' ? null : element(part)));
  };
}

const asText = (text: string): string => text;

/**
 * The registry of parsers for the pools of Kedja, so that no other user of `pg` in the process is changed. All share
 * one: it takes 12 KB.
 */
export const VALUE_PARSERS: CustomTypesConfig = valueParsers();

function valueParsers(): CustomTypesConfig {
  const parsers = new pg.TypeOverrides();
  parsers.setTypeParser(builtins.INT8, int8);
  parsers.setTypeParser(INT8_ARRAY, arrayOf(int8));
  parsers.setTypeParser(builtins.DATE, asText);
  parsers.setTypeParser(DATE_ARRAY, arrayOf(asText));
  parsers.setTypeParser(builtins.TIMESTAMP, asText);
  parsers.setTypeParser(builtins.TIMESTAMPTZ, instant);
  return parsers;
}
