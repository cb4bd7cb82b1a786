// One message to the provider: each attempt with what its system answered, the message itself, and sending it again.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import type { DispatchShapes } from '../../api/shapes.ts';
import { WEBHOOK_KEYS } from '../../api/webhook-types.ts';
import { momentText } from '../../i18n/format.ts';
import { CopyText } from '../../shared/copy.tsx';
import { useFailureText } from '../../shared/failures/failure-text.ts';
import { ScrollText } from '../../shared/scroll-text.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { LoadedScreen } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { atDelivery, useDelivery, useOwnProviders } from './queries.ts';

type Delivery = DispatchShapes['DeliveryDetails'];

/** Nobody's guid: an address that names no provider is answered as one of an unknown provider. */
const NO_PROVIDER = '00000000-0000-0000-0000-000000000000';

export function DeliveryPage() {
  const { t } = useTranslation();
  const { guid = '' } = useParams({ strict: false }) as { guid?: string };
  const { provider: wanted } = useSearch({ strict: false }) as { provider?: unknown };
  const providers = useOwnProviders();
  // Administrators come from the provider's page. Whether one may read it is the service's to decide.
  const provider = typeof wanted === 'string' && wanted !== '' ? wanted : (providers[0] ?? NO_PROVIDER);
  const isOwn = providers.includes(provider);
  const back = isOwn
    ? ({ to: '/care/system', search: { provider } } as const)
    : ({ to: '/admin/providers/$guid', params: { guid: provider } } as const);
  return (
    <>
      <p>
        <Link {...back}>{t(isOwn ? 'caregiver.deliveries.back' : 'caregiver.deliveries.backToProvider')}</Link>
      </p>
      <LoadedScreen query={useDelivery(provider, guid)}>
        {(delivery) => (
          <Page title={t(`caregiver.message.${WEBHOOK_KEYS[delivery.type]}`)}>
            <Facts delivery={delivery} />
            <Acts provider={provider} delivery={delivery} />
            <Attempts delivery={delivery} />
            <Payload provider={provider} guid={guid} />
          </Page>
        )}
      </LoadedScreen>
    </>
  );
}

function Facts({ delivery }: { readonly delivery: Delivery }) {
  const { t } = useTranslation();
  const { status, created_at: made, delivered_at: delivered, next_at: next } = delivery;
  return (
    <div className="card">
      <dl className="facts">
        <dt>{t('caregiver.deliveries.state')}</dt>
        <dd>{t(`caregiver.delivery.${status}`)}</dd>
        <dt>{t('caregiver.deliveries.made')}</dt>
        <dd>{momentText(made)}</dd>
        {delivered !== null && (
          <>
            <dt>{t('caregiver.deliveries.delivered')}</dt>
            <dd>{momentText(delivered)}</dd>
          </>
        )}
        {next !== null && (
          <>
            <dt>{t('caregiver.deliveries.next')}</dt>
            <dd>{momentText(next)}</dd>
          </>
        )}
        <dt>webhook-id</dt>
        <dd>
          <CopyText text={delivery.delivery_guid} label="webhook-id" />
        </dd>
      </dl>
    </div>
  );
}

/** What is on its way, or waits for consent or for the end of a pause, is not sent again. */
const RESENDABLE: readonly string[] = ['delivered', 'dead', 'waiting'];

function Acts({ provider, delivery }: { readonly provider: string; readonly delivery: Delivery }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const address = atDelivery(provider, delivery.delivery_guid);
  const resend = useMutation({
    mutationFn: () =>
      read(dispatch.POST('/api/v1/providers/{provider_guid}/deliveries/{delivery_guid}/resend', address)),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ['delivery', provider] });
      await queries.invalidateQueries({ queryKey: ['deliveries', provider] });
    },
  });
  return (
    <>
      {resend.error !== null && <ErrorCard error={resend.error} />}
      {resend.data !== undefined && <p role="status">{t('caregiver.deliveries.resent')}</p>}
      <p className="actions">
        <Button
          variant="default"
          disabled={!RESENDABLE.includes(delivery.status)}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
        >
          {t('caregiver.deliveries.resend')}
        </Button>
      </p>
    </>
  );
}

function Attempts({ delivery }: { readonly delivery: Delivery }) {
  const { t } = useTranslation();
  const failureText = useFailureText();
  const outcomeText = (outcome: string | null) => {
    if (outcome === null) return t('caregiver.attempts.running');
    return outcome === 'delivered' ? t('caregiver.delivery.delivered') : failureText(outcome);
  };
  return (
    <section aria-labelledby="attempts">
      <h2 id="attempts">{t('caregiver.attempts.title')}</h2>
      {delivery.attempts.length === 0 && <p className="quiet">{t('caregiver.attempts.none')}</p>}
      <ul className="cards">
        {delivery.attempts.map(({ attempt, started_at: at, duration_ms: ms, http_status: code, outcome, answer }) => (
          <li key={attempt} className="card">
            <div className="row">
              <strong>{t('caregiver.attempts.number', { number: attempt })}</strong>
              <span className={outcome === 'delivered' ? 'badge strong' : 'badge'}>{outcomeText(outcome)}</span>
            </div>
            <p className="quiet">
              {[
                momentText(at),
                ms === null ? undefined : t('caregiver.attempts.took', { ms }),
                code === null ? undefined : `HTTP ${code}`,
              ]
                .filter((part) => part !== undefined)
                .join(' · ')}
            </p>
            {answer !== null && answer !== '' && (
              <details>
                <summary>{t('caregiver.attempts.answer')}</summary>
                <ScrollText text={answer} />
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Read when somebody asks for it: each reading is recorded, and consent is asked. */
function Payload({ provider, guid }: { readonly provider: string; readonly guid: string }) {
  const { t } = useTranslation();
  const payload = useMutation({
    mutationFn: () =>
      read(
        dispatch.GET(
          '/api/v1/providers/{provider_guid}/deliveries/{delivery_guid}/payload',
          atDelivery(provider, guid),
        ),
      ),
  });
  return (
    <section aria-labelledby="payload">
      <h2 id="payload">{t('caregiver.payload.title')}</h2>
      {payload.error !== null && <ErrorCard error={payload.error} onRetry={() => payload.mutate()} />}
      {payload.data === undefined ? (
        <>
          <p className="quiet">{t('caregiver.payload.lead')}</p>
          <p className="actions">
            <Button variant="default" loading={payload.isPending} onClick={() => payload.mutate()}>
              {t('caregiver.payload.show')}
            </Button>
          </p>
        </>
      ) : (
        <ScrollText text={JSON.stringify(payload.data, null, 2)} />
      )}
    </section>
  );
}
