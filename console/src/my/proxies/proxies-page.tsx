// Whom the patient lets see their data or report for them, and for whom they may do so themselves.
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { actFor, actingFor } from '../../api/acting.ts';
import { identity, read } from '../../api/clients.ts';
import { lastDayText } from '../../i18n/format.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { InviteForm } from './invite-form.tsx';
import { type NamedProxy, useProxies } from './use-proxies.ts';

export function ProxiesPage() {
  const { t } = useTranslation();
  const isOpen = ({ status }: NamedProxy) => status === 'invited' || status === 'active';
  return (
    <Page title={t('proxies.title')}>
      <p>{t('proxies.lead')}</p>
      <Loaded query={useProxies()}>
        {({ given, received }) => <Sections given={given.filter(isOpen)} received={received.filter(isOpen)} />}
      </Loaded>
    </Page>
  );
}

/** Who has been asked to be a proxy, or is one, comes for that: it is first. */
function Sections({
  given,
  received,
}: {
  readonly given: readonly NamedProxy[];
  readonly received: readonly NamedProxy[];
}) {
  const { t } = useTranslation();
  // What is typed in the form stays when their order changes.
  const sections = [
    <Fragment key="given">
      <h2>{t('proxies.given')}</h2>
      {given.length === 0 && <Empty>{t('proxies.noneGiven')}</Empty>}
      <ProxyList proxies={given} side="given" />
      <InviteForm open={given} />
    </Fragment>,
    <Fragment key="received">
      <h2>{t('proxies.received')}</h2>
      {received.length === 0 && <Empty>{t('proxies.noneReceived')}</Empty>}
      <ProxyList proxies={received} side="received" />
    </Fragment>,
  ];
  return received.length === 0 ? sections : sections.toReversed();
}

interface ProxyListProps {
  readonly proxies: readonly NamedProxy[];
  readonly side: 'given' | 'received';
}

function ProxyList({ proxies, side }: ProxyListProps) {
  return (
    <ul className="cards">
      {proxies.map((proxy) => (
        <ProxyCard key={proxy.proxy_guid} proxy={proxy} side={side} />
      ))}
    </ul>
  );
}

function ProxyCard({ proxy, side }: { readonly proxy: NamedProxy; readonly side: ProxyListProps['side'] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const path = { proxy_guid: proxy.proxy_guid };
  const onSuccess = async () => {
    await queries.invalidateQueries({ queryKey: ['proxies'] });
    await queries.invalidateQueries({ queryKey: ['me'] });
  };
  const accept = useMutation({
    mutationFn: () => read(identity.POST('/api/patient/proxies/{proxy_guid}/accept', { params: { path } })),
    onSuccess,
  });
  const end = useMutation({
    mutationFn: () => read(identity.DELETE('/api/patient/proxies/{proxy_guid}', { params: { path } })),
    onSuccess,
  });
  const name = (side === 'given' ? (proxy.delegate_name ?? proxy.named) : proxy.patient_name) ?? '';
  // What the person was invited by: beside the name, once that is known.
  const detail = side === 'given' && proxy.kind === 'proxy' && proxy.named !== name ? proxy.named : null;
  const isInvited = proxy.status === 'invited';
  const { patient_guid: patientGuid } = proxy;
  const error = accept.error ?? end.error;
  return (
    <li className="card">
      <div className="row">
        <strong>{name}</strong>
        {isInvited && <span className="badge">{t('proxies.invited')}</span>}
      </div>
      {detail !== null && <p className="quiet">{detail}</p>}
      <p>{t(`proxies.may.${proxy.may}`)}</p>
      {proxy.ends_at !== null && <p className="quiet">{t('proxies.until', { day: lastDayText(proxy.ends_at) })}</p>}
      {error !== null && <ErrorCard error={error} />}
      <p className="actions">
        {side === 'received' && isInvited && (
          <Button loading={accept.isPending} onClick={() => accept.mutate()}>
            {t('proxies.accept')}
          </Button>
        )}
        {side === 'received' && !isInvited && patientGuid !== null && actingFor() === undefined && (
          <Button onClick={() => actFor({ patientGuid, name })}>{t('proxies.act', { name })}</Button>
        )}
        <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
          {t(isInvited && side === 'received' ? 'proxies.decline' : 'proxies.end')}
        </Button>
      </p>
    </li>
  );
}
