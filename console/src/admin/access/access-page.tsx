// Whether somebody can see something, and by which rule: who and what are chosen, and each service that holds records
// answers.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TypeAhead } from '../../shared/type-ahead.tsx';
import { type Chosen, oneOf, useAddress } from '../../shared/use-address.ts';
import { Page } from '../../shell/page.tsx';
import { Decisions } from './decisions.tsx';
import { findCallers, findPatients, findRequests } from './find.ts';
import { CALLERS, type CallerKind, questionIn, SERVICES, useCallerName, useRecordName } from './queries.ts';

const SUBJECTS = ['Patient', 'ServiceRequest', 'other'] as const;
type Subject = (typeof SUBJECTS)[number];

export function AccessPage() {
  const { t } = useTranslation();
  const [chosen, change] = useAddress();
  const question = questionIn(chosen);
  return (
    <Page title={t('access.title')}>
      <p className="quiet">{t('access.lead')}</p>
      <QuestionForm
        key={JSON.stringify([chosen['who'], chosen['guid'], chosen['what'], chosen['id']])}
        chosen={chosen}
        onAsk={change}
      />
      {question !== undefined &&
        SERVICES.map((service) => <Decisions key={service} service={service} question={question} />)}
    </Page>
  );
}

interface QuestionFormProps {
  readonly chosen: Chosen;
  readonly onAsk: (change: Chosen) => void;
}

function QuestionForm({ chosen, onAsk }: QuestionFormProps) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<CallerKind>(oneOf(CALLERS, chosen['who']) ?? 'user');
  const [guid, setGuid] = useState(chosen['guid'] ?? '');
  const [what, setWhat] = useState<Subject>(subjectOf(chosen['what']));
  const [type, setType] = useState(chosen['what'] ?? '');
  const [id, setId] = useState(chosen['id'] ?? '');
  const asked = what === 'other' ? type.trim() : what;
  const isReady = guid !== '' && id.trim() !== '' && /^[A-Z][A-Za-z]+$/.test(asked);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onAsk({ who: kind, guid, what: asked, id: id.trim() });
  };
  return (
    <form onSubmit={submit} className="card">
      <div className="filters">
        <NativeSelect
          label={t('access.who')}
          value={kind}
          onChange={({ currentTarget }) => {
            setKind(oneOf(CALLERS, currentTarget.value) ?? 'user');
            setGuid('');
          }}
          data={CALLERS.map((each) => ({ value: each, label: t(`access.caller.${each}`) }))}
        />
        <CallerField kind={kind} guid={guid} onChoose={setGuid} />
      </div>
      <div className="filters">
        <NativeSelect
          label={t('access.what')}
          value={what}
          onChange={({ currentTarget }) => {
            setWhat(subjectOf(currentTarget.value));
            setType('');
            setId('');
          }}
          data={SUBJECTS.map((each) => ({ value: each, label: t(`access.subject.${each}`) }))}
        />
        {what === 'other' ? (
          <>
            <TextInput
              label={t('access.type')}
              value={type}
              maxLength={64}
              autoComplete="off"
              onChange={({ currentTarget }) => setType(currentTarget.value)}
            />
            <TextInput
              label={t('access.id')}
              value={id}
              maxLength={64}
              autoComplete="off"
              onChange={({ currentTarget }) => setId(currentTarget.value)}
            />
          </>
        ) : (
          <SubjectField key={what} what={what} id={id} onChoose={setId} />
        )}
      </div>
      <p className="actions">
        <Button type="submit" disabled={!isReady}>
          {t('access.ask')}
        </Button>
      </p>
    </form>
  );
}

function subjectOf(type: string | undefined): Subject {
  return type === undefined ? 'Patient' : (oneOf(SUBJECTS, type) ?? 'other');
}

interface CallerFieldProps {
  readonly kind: CallerKind;
  readonly guid: string;
  readonly onChoose: (guid: string) => void;
}

function CallerField({ kind, guid, onChoose }: CallerFieldProps) {
  const { t } = useTranslation();
  const { data: name } = useCallerName(kind, guid);
  return (
    <TypeAhead
      key={kind}
      label={t(`access.find.${kind}`)}
      chosen={guid === '' ? '' : (name ?? guid)}
      none={t('access.none')}
      queryKey={['access-callers', kind]}
      find={(text, signal) => findCallers(kind, text, signal)}
      onChoose={(value) => onChoose(value ?? '')}
    />
  );
}

interface SubjectFieldProps {
  readonly what: 'Patient' | 'ServiceRequest';
  readonly id: string;
  readonly onChoose: (id: string) => void;
}

function SubjectField({ what, id, onChoose }: SubjectFieldProps) {
  const { t } = useTranslation();
  const { data: name } = useRecordName(what, id);
  return (
    <TypeAhead
      label={t(`access.find.${what}`)}
      chosen={id === '' ? '' : (name ?? id)}
      none={t('access.noneFound')}
      queryKey={['access-subjects', what]}
      find={(text, signal) => (what === 'Patient' ? findPatients(text, signal) : findRequests(text, signal))}
      onChoose={(value) => onChoose(value ?? '')}
    />
  );
}
