// Sends a request to the providers that were found. Before that it says what is sent and to whom, as it cannot be taken
// back.
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../../api/clients.ts';
import { Problem } from '../../../api/problem.ts';
import { useKeptForm } from '../../../app/use-kept.ts';
import { ErrorCard } from '../../../shell/error-card.tsx';
import { ConfirmDialog } from '../../confirm-dialog.tsx';
import { type Match, useRefresh, useRequest } from '../request-queries.ts';
import { useReasonText } from './reason-text.ts';

interface PushFormProps {
  readonly id: string;
  readonly pending: readonly Match[];
  /** Whether a provider has accepted: to more than that one it is sent only where several may accept. */
  readonly isTaken?: boolean;
}

const CHOICES = ['first', 'all'] as const;

interface Push {
  readonly choice: (typeof CHOICES)[number] | 'one';
  /** The guid of the match, of `one`. */
  readonly only: string;
  readonly until: string;
}

const START: Push = { choice: 'first', only: '', until: '' };

export function PushForm({ id, pending, isTaken = false }: PushFormProps) {
  const { t } = useTranslation();
  const reasonText = useReasonText();
  const refresh = useRefresh(id);
  const [{ choice: kept, only, until }, change, drop] = useKeptForm(`push-${id}`, START);
  const choices = CHOICES.filter((each) => !isTaken || each !== 'first');
  const choice = isTaken && kept === 'first' ? 'all' : kept;
  const [isAsking, setAsking] = useState(false);
  const chosen = choice === 'one' ? pending.filter((match) => match.match_guid === only) : pending;
  const push = useMutation({
    mutationFn: () => {
      const several = isTaken ? { selection: 'all' as const } : {};
      const body = {
        ...(choice === 'one' ? several : { selection: choice }),
        ...(until === '' ? {} : { respond_by: new Date(until).toISOString() }),
      };
      const [one] = chosen;
      if (choice !== 'one' || one === undefined) {
        return read(dispatch.POST('/api/v1/ServiceRequest/{id}/push', { params: { path: { id } }, body }));
      }
      const path = { id, match_guid: one.match_guid };
      return read(dispatch.POST('/api/v1/ServiceRequest/{id}/push/{match_guid}', { params: { path }, body }));
    },
    onSuccess: drop,
    onSettled: async () => {
      setAsking(false);
      await refresh();
    },
  });
  const patient = `/plan/patients/${useRequest(id).data?.subject.reference?.replace('Patient/', '') ?? ''}`;
  const isPast = until !== '' && Date.parse(until) <= Date.now();
  const isRefused = push.error instanceof Problem && push.error.code === 'consent_required';
  return (
    <>
      <h3>{t('planner.push.title')}</h3>
      <fieldset>
        <legend>{t('planner.push.whom')}</legend>
        {choices.map((each) => (
          <label key={each} className="choice">
            <input type="radio" name="selection" checked={choice === each} onChange={() => change({ choice: each })} />
            {t(`planner.push.${each}`)}
          </label>
        ))}
        {pending.map((match) => (
          <label key={match.match_guid} className="choice">
            <input
              type="radio"
              name="selection"
              checked={choice === 'one' && only === match.match_guid}
              onChange={() => change({ choice: 'one', only: match.match_guid })}
            />
            {t('planner.push.one', { provider: match.provider_name })}
          </label>
        ))}
      </fieldset>
      <TextInput
        mt="md"
        type="datetime-local"
        label={t('planner.push.until')}
        description={t('planner.push.untilHint')}
        error={isPast ? t('planner.push.past') : undefined}
        value={until}
        onChange={({ currentTarget }) => change({ until: currentTarget.value })}
      />
      {isRefused && (
        <p className="bad" role="alert">
          {t('planner.push.refused')} <Link to={`${patient}/consents`}>{t('planner.push.toConsents')}</Link>
        </p>
      )}
      {push.error !== null && !isRefused && <ErrorCard error={push.error} />}
      {push.data !== undefined && push.data.blocked.length > 0 && (
        <ul className="alert" role="alert">
          {push.data.blocked.map(({ match_guid: guid, reason }) => (
            <li key={guid}>
              {pending.find((match) => match.match_guid === guid)?.provider_name}: {reasonText(reason)}
            </li>
          ))}
        </ul>
      )}
      <p className="actions">
        <Button disabled={chosen.length === 0 || isPast} onClick={() => setAsking(true)}>
          {t('planner.push.send', { count: chosen.length })}
        </Button>
      </p>
      {isAsking && (
        <ConfirmDialog
          title={t('planner.push.sure')}
          effect={t(isTaken ? 'planner.push.effectOfMore' : 'planner.push.effect')}
          confirm={t('planner.push.now')}
          act={push}
          onClose={() => setAsking(false)}
        >
          <ul>
            {chosen.map((match) => (
              <li key={match.match_guid}>{match.provider_name}</li>
            ))}
          </ul>
        </ConfirmDialog>
      )}
    </>
  );
}
