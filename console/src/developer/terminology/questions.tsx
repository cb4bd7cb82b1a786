// Questions with one answer: look up, validate, translate. Fields, and the Parameters that come back.
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Parameters } from 'fhir/r5';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { getJson } from '../../api/fhir.ts';
import { AsJson } from '../../shared/as-json.tsx';
import { CopyButton } from '../../shared/copy.tsx';
import { Refusal } from '../../shared/refusal.tsx';
import { Loading } from '../../shell/loading.tsx';
import { baseOf } from '../fhir/services.ts';
import { AnswerView } from './answer-view.tsx';
import { type Asked, filled, useAsked } from './asked.ts';
import { Known } from './known.tsx';

export type Kind = 'lookup' | 'validate' | 'translate';

type Field = 'url' | 'system' | 'code' | 'sourceCode' | 'display' | 'targetSystem';

interface Question {
  readonly operation: string;
  readonly fields: readonly Field[];
  readonly needs: readonly Field[];
}

const QUESTIONS: Readonly<Record<Kind, Question>> = {
  lookup: { operation: 'CodeSystem/$lookup', fields: ['system', 'code'], needs: ['system', 'code'] },
  validate: {
    operation: 'ValueSet/$validate-code',
    fields: ['url', 'system', 'code', 'display'],
    needs: ['url', 'code'],
  },
  translate: {
    operation: 'ConceptMap/$translate',
    fields: ['system', 'sourceCode', 'url', 'targetSystem'],
    needs: ['system', 'sourceCode'],
  },
};

export function Questions({ kind }: { readonly kind: Kind }) {
  const { t } = useTranslation();
  const { operation, fields, needs } = QUESTIONS[kind];
  const [asked, ask] = useAsked(fields);
  const [typed, setTyped] = useState<Asked>(asked);
  const address = addressOf(operation, asked);
  const answer = useQuery({
    queryKey: ['terminology', address],
    queryFn: async () => (await getJson(address)) as Parameters,
    enabled: needs.every((name) => asked[name] !== undefined),
    retry: false,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask(typed);
    if (JSON.stringify(filled(typed)) === JSON.stringify(asked)) void answer.refetch();
  };
  const isReady = needs.every((name) => (typed[name] ?? '').trim() !== '');
  return (
    <>
      <form onSubmit={submit}>
        <div className="fields">
          {fields.map((name) => (
            <FieldInput
              key={name}
              kind={kind}
              name={name}
              isNeeded={needs.includes(name)}
              value={typed[name] ?? ''}
              onChange={(value) => setTyped({ ...typed, [name]: value })}
            />
          ))}
        </div>
        <p className="actions">
          <Button type="submit" disabled={!isReady}>
            {t(`developer.terms.ask.${kind}`)}
          </Button>
          {answer.data !== undefined && (
            <CopyButton text={`${window.location.origin}${address}`} label={t('developer.search.url')} isNamed />
          )}
        </p>
      </form>
      {answer.isFetching && answer.data === undefined && <Loading />}
      {answer.error !== null && <Refusal error={answer.error} />}
      {answer.data !== undefined && (
        <section aria-labelledby="answer">
          <h2 id="answer">{t('developer.terms.answer')}</h2>
          <AnswerView kind={kind} parameters={answer.data.parameter ?? []} />
          <AsJson label={t('developer.search.asJson')} value={answer.data} />
        </section>
      )}
    </>
  );
}

function addressOf(operation: string, asked: Asked): string {
  return `${baseOf('engine')}/${operation}?${new URLSearchParams(asked)}`;
}

interface FieldInputProps {
  readonly kind: Kind;
  readonly name: Field;
  readonly isNeeded: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function FieldInput({ kind, name, isNeeded, value, onChange }: FieldInputProps) {
  const { t } = useTranslation();
  const words =
    name === 'url'
      ? t(kind === 'translate' ? 'developer.terms.map' : 'developer.terms.valueSet')
      : t(`developer.terms.field.${name}`);
  const label = isNeeded ? words : t('form.optional', { label: words });
  if (name === 'url') {
    return (
      <Known type={kind === 'translate' ? 'ConceptMap' : 'ValueSet'} label={label} value={value} onChange={onChange} />
    );
  }
  if (name === 'system' || name === 'targetSystem') {
    return <Known type="CodeSystem" label={label} value={value} onChange={onChange} />;
  }
  return (
    <TextInput
      label={label}
      value={value}
      spellCheck={false}
      autoComplete="off"
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
