// Where requests are sent, whether they are, a test, and another secret.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import { momentText } from '../../i18n/format.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { atProvider, type Endpoint } from './queries.ts';
import { SecretDialog } from './secret-dialog.tsx';

interface EndpointCardProps {
  readonly guid: string;
  readonly endpoint: Endpoint;
}

export function EndpointCard({ guid, endpoint }: EndpointCardProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isRotating, setRotating] = useState(false);
  const ping = useMutation({
    mutationFn: () => read(dispatch.POST('/api/v1/providers/{provider_guid}/endpoint/ping', atProvider(guid))),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['deliveries', guid] }),
  });
  const { url, enabled, disabled_reason: reason, is_hosted: isHosted, previous_secret_valid_until: until } = endpoint;
  const isOverlapping = until !== null && Date.parse(until) > Date.now();
  return (
    <section className="card" aria-labelledby="endpoint">
      <div className="row">
        <h2 id="endpoint">{t('caregiver.system.endpoint')}</h2>
        <span className={enabled ? 'badge strong' : 'badge'}>
          {t(enabled ? 'caregiver.system.on' : 'caregiver.system.off')}
        </span>
      </div>
      {isHosted ? (
        <p>{t('caregiver.system.hosted')}</p>
      ) : (
        <p>
          {t('caregiver.system.sentTo')} <code>{url}</code>
        </p>
      )}
      {!enabled && <p className="bad">{t(reason === 'gone' ? 'caregiver.system.gone' : 'caregiver.system.stopped')}</p>}
      {isOverlapping && <p>{t('caregiver.system.overlap', { until: momentText(until) })}</p>}
      {ping.error !== null && <ErrorCard error={ping.error} onRetry={() => ping.mutate()} />}
      {ping.data !== undefined && (
        <p role="status">
          {t('caregiver.system.pinged')}{' '}
          <Link to="/care/system/$guid" params={{ guid: ping.data.delivery_guid }} search={{ provider: guid }}>
            {t('caregiver.system.pingShow')}
          </Link>
        </p>
      )}
      <p className="actions">
        <Button variant="default" disabled={!enabled} loading={ping.isPending} onClick={() => ping.mutate()}>
          {t('caregiver.system.ping')}
        </Button>
        {!isHosted && (
          <Button variant="default" onClick={() => setRotating(true)}>
            {t('caregiver.system.rotate')}
          </Button>
        )}
      </p>
      {isRotating && <SecretDialog guid={guid} onClose={() => setRotating(false)} />}
    </section>
  );
}
