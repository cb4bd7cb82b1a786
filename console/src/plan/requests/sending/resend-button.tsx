// Sends a delivery again that was given up. Consent is asked again before the attempt.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../../api/clients.ts';
import { ErrorCard } from '../../../shell/error-card.tsx';
import { useRefresh } from '../request-queries.ts';

interface ResendButtonProps {
  readonly id: string;
  readonly requestGuid: string;
}

export function ResendButton({ id, requestGuid }: ResendButtonProps) {
  const { t } = useTranslation();
  const refresh = useRefresh(id);
  const resend = useMutation({
    mutationFn: async () => {
      const query = { request_guid: requestGuid, type: 'request.dispatched' as const, status: 'dead' as const };
      const { data } = await read(dispatch.GET('/api/v1/deliveries', { params: { query } }));
      const [dead] = data;
      if (dead === undefined) return;
      const path = { guid: dead.delivery_guid };
      await read(dispatch.POST('/api/v1/dead-letters/{guid}/replay', { params: { path } }));
    },
    onSuccess: refresh,
  });
  return (
    <>
      {resend.error !== null && <ErrorCard error={resend.error} />}
      <p className="actions">
        <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
          {t('planner.delivery.again')}
        </Button>
      </p>
    </>
  );
}
