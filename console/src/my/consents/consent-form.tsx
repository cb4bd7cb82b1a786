// A new decision about sharing: may or may not, who, and from when to when. Its effect is shown before it is saved.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptForm } from '../../app/use-kept.ts';
import { swedishDay } from '../../clinical/consent-phase.ts';
import { ConsentPreview } from './consent-preview.tsx';
import { useRecipients } from './use-names.ts';

const DECISIONS = ['deny', 'permit'] as const;
/** The name by which the tab keeps what is being decided. */
export const KEPT_DECISION = 'own-decision';

interface Typed {
  readonly decision: (typeof DECISIONS)[number] | undefined;
  /** A guid; empty for everybody. */
  readonly who: string;
  /** Days as `YYYY-MM-DD`, or empty. */
  readonly from: string;
  readonly to: string;
}

const EMPTY: Typed = { decision: undefined, who: '', from: '', to: '' };

export function ConsentForm({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const recipients = useRecipients();
  const [{ decision, who, from, to }, change, drop] = useKeptForm(KEPT_DECISION, EMPTY);
  const [issue, setIssue] = useState<'decision' | 'period' | 'past'>();
  const [isPreviewed, setPreviewed] = useState(false);
  const finish = () => {
    drop();
    onDone();
  };
  const showPreview = (event: FormEvent) => {
    event.preventDefault();
    const period = to === '' ? undefined : to < from ? 'period' : to < swedishDay(new Date()) ? 'past' : undefined;
    const found = decision === undefined ? 'decision' : period;
    setIssue(found);
    setPreviewed(found === undefined);
  };
  if (isPreviewed && decision !== undefined) {
    const decided = {
      decision,
      ...(who === '' ? {} : { organisation_guid: who }),
      ...(from === '' ? {} : { starts_on: from }),
      ...(to === '' ? {} : { ends_on: to }),
    };
    const named = who === '' ? t('consents.everybody') : (recipients.get(who) ?? t('consents.unknown'));
    return (
      <div className="card">
        <ConsentPreview change={decided} who={named} onDone={finish} onBack={() => setPreviewed(false)} />
      </div>
    );
  }
  return (
    <form className="card" onSubmit={showPreview} noValidate>
      <fieldset className="field">
        <legend>{t('consents.choose')}</legend>
        {issue === 'decision' && <p className="bad">{t('form.issue.required')}</p>}
        {DECISIONS.map((each) => (
          <label key={each} className="choice">
            <input
              type="radio"
              name="decision"
              checked={decision === each}
              onChange={() => change({ decision: each })}
            />
            {t(`consents.${each}Choice`)}
          </label>
        ))}
      </fieldset>
      <NativeSelect
        mt="lg"
        label={t('consents.who')}
        value={who}
        onChange={({ currentTarget }) => change({ who: currentTarget.value })}
        data={[
          { value: '', label: t('consents.everybody') },
          ...[...recipients].map(([value, label]) => ({ value, label })),
        ]}
      />
      <TextInput
        mt="lg"
        type="date"
        label={t('consents.startsOn')}
        value={from}
        onChange={({ currentTarget }) => change({ from: currentTarget.value })}
      />
      <TextInput
        mt="lg"
        type="date"
        label={t('consents.endsOn')}
        error={issue === 'period' || issue === 'past' ? t(`consents.${issue}Issue`) : undefined}
        value={to}
        onChange={({ currentTarget }) => change({ to: currentTarget.value })}
      />
      <p className="actions">
        <Button type="submit">{t('consents.look')}</Button>
        <Button variant="default" onClick={finish}>
          {t('consents.cancel')}
        </Button>
      </p>
    </form>
  );
}
