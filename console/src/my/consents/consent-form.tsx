// A new decision about sharing: may or may not, who, and from when to when. Its effect is shown before it is saved.
import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useKeptForm } from '../../app/use-kept.ts';
import { swedishDay } from '../../clinical/consent-phase.ts';
import { ConsentPreview } from './consent-preview.tsx';
import type { Recipient } from './recipients.ts';
import { WhoField } from './who-field.tsx';

const DECISIONS = ['deny', 'permit'] as const;
/** The name by which the tab keeps what is being decided. */
export const KEPT_DECISION = 'own-decision-about';

interface Typed {
  readonly decision: (typeof DECISIONS)[number] | undefined;
  readonly isForOne: boolean;
  /** Whom it is about, when it is for one. */
  readonly recipient: Recipient | undefined;
  /** Days as `YYYY-MM-DD`, or empty. */
  readonly from: string;
  readonly to: string;
}

type Issue = 'decision' | 'who' | 'period' | 'past';

const EMPTY: Typed = { decision: undefined, isForOne: false, recipient: undefined, from: '', to: '' };

export function ConsentForm({ onDone }: { readonly onDone: () => void }) {
  const { t } = useTranslation();
  const [typed, change, drop] = useKeptForm(KEPT_DECISION, EMPTY);
  const { decision, isForOne, recipient, from, to } = typed;
  const [isChecked, setChecked] = useState(false);
  const [isPreviewed, setPreviewed] = useState(false);
  /** What is corrected is not complained of any more. */
  const issue = isChecked ? issueOf(typed) : undefined;
  const finish = () => {
    drop();
    onDone();
  };
  const showPreview = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    setPreviewed(issueOf(typed) === undefined);
  };
  if (isPreviewed && decision !== undefined) {
    const decided = {
      decision,
      ...(isForOne && recipient !== undefined ? { organisation_guid: recipient.guid } : {}),
      ...(from === '' ? {} : { starts_on: from }),
      ...(to === '' ? {} : { ends_on: to }),
    };
    const named = isForOne && recipient !== undefined ? recipient.name : t('consents.everybody');
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
        {issue === 'decision' && (
          <p className="bad" role="alert">
            {t('form.issue.required')}
          </p>
        )}
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
      <WhoField
        isForOne={isForOne}
        recipient={recipient}
        error={issue === 'who' ? t('consents.whoIssue') : undefined}
        onChange={change}
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

/** The first that has to be corrected. */
function issueOf({ decision, isForOne, recipient, from, to }: Typed): Issue | undefined {
  if (decision === undefined) return 'decision';
  // Without a choice it would be about everybody, which nobody means who has said that it is about one.
  if (isForOne && recipient === undefined) return 'who';
  if (to === '') return undefined;
  if (to < from) return 'period';
  return to < swedishDay(new Date()) ? 'past' : undefined;
}
