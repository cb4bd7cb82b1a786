// Finds the providers that a request may go to.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../../api/clients.ts';
import { Problem } from '../../../api/problem.ts';
import { ErrorCard } from '../../../shell/error-card.tsx';
import { useRefresh } from '../request-queries.ts';

interface MatchButtonProps {
  readonly id: string;
  /** Whether nobody has been found before. */
  readonly isFirst: boolean;
}

export function MatchButton({ id, isFirst }: MatchButtonProps) {
  const { t } = useTranslation();
  const refresh = useRefresh(id);
  const match = useMutation({
    mutationFn: () => read(dispatch.POST('/api/v1/ServiceRequest/{id}/match', { params: { path: { id } }, body: {} })),
    onSuccess: refresh,
  });
  return (
    <>
      {match.isSuccess && isFirst && (
        <p className="bad" role="status">
          {t('planner.recipients.nobody')}
        </p>
      )}
      <MatchError error={match.error} />
      <p className="actions">
        <Button variant={isFirst ? 'filled' : 'default'} loading={match.isPending} onClick={() => match.mutate()}>
          {t(isFirst ? 'planner.recipients.find' : 'planner.recipients.again')}
        </Button>
      </p>
    </>
  );
}

function MatchError({ error }: { readonly error: Error | null }) {
  const { t } = useTranslation();
  if (error instanceof Problem && error.status === 422) return <p className="bad">{t('planner.recipients.noCodes')}</p>;
  return error === null ? null : <ErrorCard error={error} />;
}
