// Whom the patient lets see their data or report for them, and for whom they may do so themselves.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { actFor, actingFor } from '../api/acting.ts';
import { identity, read } from '../api/clients.ts';
import { dayText } from '../i18n/format.ts';
import { ErrorCard } from '../shell/error-card.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { Empty, Page } from '../shell/page.tsx';

export function useProxies() {
  return useQuery({ queryKey: ['proxies'], queryFn: () => read(identity.GET('/api/patient/proxies')) });
}

type Proxy = NonNullable<ReturnType<typeof useProxies>['data']>['given'][number];

export function ProxiesPage() {
  const { t } = useTranslation();
  const isOpen = ({ status }: Proxy) => status === 'invited' || status === 'active';
  return (
    <Page title={t('proxies.title')}>
      <p>{t('proxies.lead')}</p>
      <Loaded query={useProxies()}>
        {({ given, received }) => (
          <>
            <h2>{t('proxies.given')}</h2>
            {given.filter(isOpen).length === 0 && <Empty>{t('proxies.noneGiven')}</Empty>}
            <ProxyList proxies={given.filter(isOpen)} side="given" />
            <InviteForm />
            <h2>{t('proxies.received')}</h2>
            {received.filter(isOpen).length === 0 && <Empty>{t('proxies.noneReceived')}</Empty>}
            <ProxyList proxies={received.filter(isOpen)} side="received" />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface ProxyListProps {
  readonly proxies: readonly Proxy[];
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

function ProxyCard({ proxy, side }: { readonly proxy: Proxy; readonly side: ProxyListProps['side'] }) {
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
  const isInvited = proxy.status === 'invited';
  const { patient_guid: patientGuid } = proxy;
  const error = accept.error ?? end.error;
  return (
    <li className="card">
      <div className="row">
        <strong>{name}</strong>
        {isInvited && <span className="badge">{t('proxies.invited')}</span>}
      </div>
      <p>{t(`proxies.may.${proxy.may}`)}</p>
      {proxy.ends_at !== null && <p className="quiet">{t('proxies.until', { day: dayText(proxy.ends_at) })}</p>}
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

const RIGHTS = ['read', 'act'] as const;

function InviteForm() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [named, setNamed] = useState('');
  const [may, setMay] = useState<(typeof RIGHTS)[number]>('read');
  const [until, setUntil] = useState('');
  const [isIncomplete, setIncomplete] = useState(false);
  const invite = useMutation({
    mutationFn: () => {
      const person = named.includes('@') ? { email: named.trim() } : { personnummer: named.trim() };
      return read(identity.POST('/api/patient/proxies', { body: { ...person, may, until } }));
    },
    onSuccess: async () => {
      setNamed('');
      await queries.invalidateQueries({ queryKey: ['proxies'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isMissing = named.trim() === '' || until === '';
    setIncomplete(isMissing);
    if (!isMissing) invite.mutate();
  };
  const required = (value: string) => (isIncomplete && value.trim() === '' ? t('form.issue.required') : undefined);
  return (
    <form className="card" onSubmit={submit} noValidate>
      <h3>{t('proxies.new')}</h3>
      <TextInput
        label={t('proxies.named')}
        error={required(named)}
        value={named}
        onChange={({ currentTarget }) => setNamed(currentTarget.value)}
      />
      <NativeSelect
        mt="lg"
        label={t('proxies.right')}
        value={may}
        onChange={({ currentTarget }) => setMay(currentTarget.value === 'act' ? 'act' : 'read')}
        data={RIGHTS.map((value) => ({ value, label: t(`proxies.may.${value}`) }))}
      />
      <TextInput
        mt="lg"
        type="date"
        label={t('proxies.lastDay')}
        error={required(until)}
        value={until}
        onChange={({ currentTarget }) => setUntil(currentTarget.value)}
      />
      {invite.error !== null && <ErrorCard error={invite.error} />}
      <p className="actions">
        <Button type="submit" loading={invite.isPending}>
          {t('proxies.send')}
        </Button>
      </p>
      <p role="status">{invite.isSuccess && t('proxies.sent')}</p>
    </form>
  );
}
