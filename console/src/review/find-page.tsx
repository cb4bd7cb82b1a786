// Finds the patient whose log is reviewed. A number is neither kept nor put into the address, and the look-up is on
// record.
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../api/clients.ts';
import { Problem } from '../api/problem.ts';
import { ErrorCard } from '../shell/error-card.tsx';
import { Page } from '../shell/page.tsx';
import { type SoughtPatient, soughtPatient } from './sought.ts';

export function FindPage() {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const find = useFind();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    find.reset();
    const sought = soughtPatient(typed);
    setWrong(sought === undefined);
    if (sought !== undefined) find.mutate(sought);
  };
  const { error } = find;
  const status = error instanceof Problem ? error.status : undefined;
  const message = isWrong || status === 400 ? t('review.wrong') : status === 404 ? t('review.nobody') : undefined;
  return (
    <Page title={t('review.title')}>
      <p>{t('review.lead')}</p>
      <search>
        <form onSubmit={submit} noValidate>
          <TextInput
            label={t('review.number')}
            description={t('review.or')}
            value={typed}
            error={message}
            autoComplete="off"
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <p className="actions">
            <Button type="submit" loading={find.isPending}>
              {t('review.find')}
            </Button>
          </p>
        </form>
      </search>
      {error !== null && message === undefined && <ErrorCard error={error} />}
    </Page>
  );
}

function useFind() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async (sought: SoughtPatient) => {
      if (sought.kind === 'id') return sought.id;
      const body = { personnummer: sought.number };
      return (await read(identity.POST('/api/patients/lookup', { body }))).patient_guid;
    },
    onSuccess: (id) => navigate({ to: `/review/${id}` }),
  });
}
