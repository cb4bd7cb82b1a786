// An answer of the terminology: yes or no where that was asked, and all that it says.
import type { ParametersParameter } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { type AnswerRow, resultOf, rowsOf } from './answer.ts';
import type { Kind } from './questions.tsx';

interface AnswerViewProps {
  readonly kind: Kind;
  readonly parameters: readonly ParametersParameter[];
}

export function AnswerView({ kind, parameters }: AnswerViewProps) {
  const { t } = useTranslation();
  const result = resultOf(parameters);
  const word = result === true ? 'yes' : 'no';
  return (
    <div className="card" role="status">
      {result !== undefined && kind !== 'lookup' && (
        <p className={result ? undefined : 'bad'}>
          <strong>{t(`developer.terms.${kind}.${word}`)}</strong>
        </p>
      )}
      <Rows rows={rowsOf(parameters).filter(({ name }) => name !== 'result')} />
    </div>
  );
}

function Rows({ rows }: { readonly rows: readonly AnswerRow[] }) {
  return (
    <dl className="facts" lang="en">
      {rows.map(({ name, text, parts }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer is shown as it came
        <div key={at}>
          <dt>{name}</dt>
          <dd>{parts.length === 0 ? text : isPair(parts) ? pairText(parts) : <Nested rows={parts} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function Nested({ rows }: { readonly rows: readonly AnswerRow[] }) {
  return (
    <div className="nested">
      <Rows rows={rows} />
    </div>
  );
}

/** A property has a code, a value and perhaps words for it. */
function isPair(parts: readonly AnswerRow[]): boolean {
  return parts[0]?.name === 'code' && parts[1]?.name === 'value' && parts.every((part) => part.parts.length === 0);
}

function pairText(parts: readonly AnswerRow[]): string {
  const [code, value, ...rest] = parts.map(({ text }) => text);
  return `${code} = ${[value, ...rest].join(' · ')}`;
}
