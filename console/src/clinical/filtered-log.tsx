// The access log of a patient for who reviews it: by period, unit and person. The filter is in the address.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { endOfDay, startOfDay } from '../shared/days.ts';
import { type Chosen, useAddress } from '../shared/use-address.ts';
import { AccessLog, type LogFilter } from './access-log.tsx';

const DAYS = ['since', 'until'] as const;
const NAMES = ['unit', 'person'] as const;
const FIELDS = [...DAYS, ...NAMES];
const NOTHING: Chosen = { since: undefined, until: undefined, unit: undefined, person: undefined };

interface FilteredLogProps {
  readonly patient: string;
  /** Said where nobody has looked, whatever the filter. */
  readonly none: string;
}

export function FilteredAccessLog({ patient, none }: FilteredLogProps) {
  const { t } = useTranslation();
  const [chosen, change] = useAddress();
  const filter = filterOf(chosen);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <FilterForm chosen={chosen} isFiltered={isFiltered} onChange={change} />
      <AccessLog patient={patient} filter={filter} none={isFiltered ? t('log.filter.noneFound') : none} />
    </>
  );
}

interface FilterFormProps {
  readonly chosen: Chosen;
  readonly isFiltered: boolean;
  readonly onChange: (change: Chosen) => void;
}

function FilterForm({ chosen, isFiltered, onChange }: FilterFormProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<Chosen>(chosen);
  const { since, until, unit, person } = chosen;
  // Back and forward bring another filter.
  useEffect(() => setTyped({ since, until, unit, person }), [since, until, unit, person]);
  const button = useRef<HTMLButtonElement>(null);
  const clear = () => {
    // What was pressed goes away: the focus stays in the form.
    button.current?.focus();
    onChange(NOTHING);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const entries = FIELDS.map((name) => [name, typed[name]?.trim() || undefined] as const);
    onChange(Object.fromEntries(entries));
  };
  const field = (name: (typeof FIELDS)[number], type: 'date' | 'search') => (
    <TextInput
      key={name}
      type={type}
      label={t(`log.filter.${name}`)}
      value={typed[name] ?? ''}
      maxLength={200}
      autoComplete="off"
      onChange={({ currentTarget: { value } }) => setTyped((now) => ({ ...now, [name]: value }))}
    />
  );
  return (
    <search>
      <form onSubmit={submit}>
        <div className="filters">
          {DAYS.map((name) => field(name, 'date'))}
          {NAMES.map((name) => field(name, 'search'))}
        </div>
        <p className="actions">
          <Button ref={button} type="submit" variant="default">
            {t('log.filter.search')}
          </Button>
          {isFiltered && (
            <button type="button" className="plain-button" onClick={clear}>
              {t('log.filter.clear')}
            </button>
          )}
        </p>
      </form>
    </search>
  );
}

/** What the service is asked for. Both days of the period count. */
function filterOf({ since, until, unit, person }: Chosen): LogFilter {
  const asked = { since: startOfDay(since), until: endOfDay(until), unit, person };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(given.map(([name, value]) => [name, String(value).slice(0, 200)]));
}
