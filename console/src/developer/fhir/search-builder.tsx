// Builds a search: one row for each condition, with all parameters of the type, and the query itself to be typed. Both
// are one text.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../shared/copy.tsx';
import type { SearchParameter } from './capability.ts';
import {
  type Condition,
  firstOf,
  MODIFIERS,
  RESULT_PARAMETERS,
  readQuery,
  sampleOf,
  splitName,
  writeQuery,
} from './query.ts';
import { baseOf, type ServiceName } from './services.ts';

/** What decides about the page is no condition. */
const PAGING = ['_cursor', '_offset', 'page'];

interface SearchBuilderProps {
  readonly service: ServiceName;
  readonly type: string;
  /** The search that is carried out. */
  readonly query: string;
  readonly parameters: readonly SearchParameter[];
  readonly onSearch: (query: string) => void;
}

export function SearchBuilder({ service, type, query, parameters, onSearch }: SearchBuilderProps) {
  const { t } = useTranslation();
  const [rows, setRows] = useState<readonly Condition[]>(() => {
    const given = readQuery(query).filter(({ name }) => !PAGING.includes(name));
    return given.length === 0 ? [{ name: firstOf(parameters), value: '' }] : given;
  });
  const [typed, setTyped] = useState<string>();
  const text = typed ?? writeQuery(rows);
  const path = `${baseOf(service)}/${type}${text === '' ? '' : `?${text}`}`;
  const change = (next: readonly Condition[]) => {
    setRows(next);
    setTyped(undefined);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(text);
  };
  return (
    <search>
      <form onSubmit={submit}>
        <h2>{t('developer.search.conditions')}</h2>
        <ul className="conditions">
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
            <li key={at}>
              <ConditionRow
                row={row}
                number={at + 1}
                parameters={parameters}
                onChange={(next) => change(rows.with(at, next))}
                onRemove={() => change(rows.toSpliced(at, 1))}
              />
            </li>
          ))}
        </ul>
        <p className="actions">
          <Button variant="default" onClick={() => change([...rows, { name: firstOf(parameters), value: '' }])}>
            {t('developer.search.add')}
          </Button>
        </p>
        <TextInput
          mt="md"
          label={t('developer.search.query')}
          description={`GET ${path.length > 160 ? `${path.slice(0, 160)}…` : path}`}
          value={text}
          spellCheck={false}
          autoComplete="off"
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setRows(readQuery(currentTarget.value));
          }}
        />
        <p className="actions">
          <Button type="submit">{t('developer.search.run')}</Button>
          <CopyButton text={`${window.location.origin}${path}`} label={t('developer.search.url')} isNamed />
        </p>
      </form>
    </search>
  );
}

interface ConditionRowProps {
  readonly row: Condition;
  readonly number: number;
  readonly parameters: readonly SearchParameter[];
  readonly onChange: (row: Condition) => void;
  readonly onRemove: () => void;
}

function ConditionRow({ row, number, parameters, onChange, onRemove }: ConditionRowProps) {
  const { t } = useTranslation();
  const [name, modifier] = splitName(row.name);
  const parameter = parameters.find((each) => each.name === name);
  const known = [...parameters.map((each) => each.name), ...Object.keys(RESULT_PARAMETERS)];
  const names = known.includes(name) ? known : [name, ...known];
  const kind = parameter?.type ?? t(name in RESULT_PARAMETERS ? 'developer.search.ofResult' : 'developer.search.typed');
  const sample = sampleOf(name, parameter?.type);
  const modifiers = MODIFIERS[parameter?.type ?? ''] ?? [];
  const shown = modifiers.includes(modifier) || modifier === '' ? modifiers : [modifier, ...modifiers];
  const of = { number };
  return (
    <>
      <NativeSelect
        label={t('developer.search.parameter', of)}
        description={kind}
        value={name}
        onChange={({ currentTarget }) => onChange({ ...row, name: currentTarget.value })}
        data={names.map((each) => ({ value: each, label: each }))}
      />
      <NativeSelect
        label={t('developer.search.modifier', of)}
        description={t('developer.search.optional')}
        value={modifier}
        disabled={shown.length === 0}
        onChange={({ currentTarget: { value } }) =>
          onChange({ ...row, name: value === '' ? name : `${name}:${value}` })
        }
        data={[
          { value: '', label: t('developer.search.noModifier') },
          ...shown.map((each) => ({ value: each, label: each })),
        ]}
      />
      <TextInput
        label={t('developer.search.value', of)}
        description={sample === undefined ? undefined : t('developer.search.sample', { sample })}
        value={row.value}
        spellCheck={false}
        autoComplete="off"
        onChange={({ currentTarget }) => onChange({ ...row, value: currentTarget.value })}
      />
      <button type="button" className="plain-button" onClick={onRemove} aria-label={t('developer.search.removeOf', of)}>
        {t('developer.search.remove')}
      </button>
      {parameter?.documentation !== undefined && (
        <p className="quiet small" lang="en">
          {parameter.documentation}
        </p>
      )}
    </>
  );
}
