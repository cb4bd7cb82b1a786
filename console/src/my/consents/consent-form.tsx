// A new decision about sharing: may or may not, who, and from when to when. Its effect is shown before it is saved.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConsentPreview } from './consent-preview.tsx';
import { useNames } from './use-names.ts';

const DECISIONS = ['deny', 'permit'] as const;

export function ConsentForm({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const names = useNames();
  const [decision, setDecision] = useState<(typeof DECISIONS)[number]>();
  const [who, setWho] = useState('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [issue, setIssue] = useState<'decision' | 'period'>();
  const [isLooking, setLooking] = useState(false);
  const look = (event: FormEvent) => {
    event.preventDefault();
    const found = decision === undefined ? 'decision' : from !== '' && to !== '' && to < from ? 'period' : undefined;
    setIssue(found);
    setLooking(found === undefined);
  };
  if (isLooking && decision !== undefined) {
    const change = {
      decision,
      ...(who === '' ? {} : { organisation_guid: who }),
      ...(from === '' ? {} : { starts_on: from }),
      ...(to === '' ? {} : { ends_on: to }),
    };
    return (
      <div className="card">
        <ConsentPreview change={change} onDone={onDone} onBack={() => setLooking(false)} />
      </div>
    );
  }
  return (
    <form className="card" onSubmit={look} noValidate>
      <fieldset className="field">
        <legend>{t('consents.choose')}</legend>
        {issue === 'decision' && <p className="bad">{t('form.issue.required')}</p>}
        {DECISIONS.map((each) => (
          <label key={each} className="choice">
            <input type="radio" name="decision" checked={decision === each} onChange={() => setDecision(each)} />
            {t(`consents.${each}Choice`)}
          </label>
        ))}
      </fieldset>
      <NativeSelect
        mt="lg"
        label={t('consents.who')}
        value={who}
        onChange={({ currentTarget }) => setWho(currentTarget.value)}
        data={[
          { value: '', label: t('consents.everybody') },
          ...[...names].map(([value, label]) => ({ value, label })),
        ]}
      />
      <TextInput
        mt="lg"
        type="date"
        label={t('consents.startsOn')}
        value={from}
        onChange={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <TextInput
        mt="lg"
        type="date"
        label={t('consents.endsOn')}
        error={issue === 'period' ? t('consents.periodIssue') : undefined}
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
      />
      <p className="actions">
        <Button type="submit">{t('consents.look')}</Button>
        <Button variant="default" onClick={onDone}>
          {t('consents.cancel')}
        </Button>
      </p>
    </form>
  );
}
