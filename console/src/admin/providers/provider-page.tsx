// One provider: where requests are sent, with its secret, a test and what was sent; its contracts.
import { Button, TextInput } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dispatch, read } from '../../api/clients.ts';
import { useKept } from '../../app/use-kept.ts';
import { DeliveryList } from '../../caregiver/integration/delivery-list.tsx';
import { EndpointCard } from '../../caregiver/integration/endpoint-card.tsx';
import { atProvider, type Endpoint, useEndpoint, useProvider } from '../../caregiver/integration/queries.ts';
import { ShownOnce } from '../../shared/shown-once.tsx';
import { Loaded, LoadedScreen } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { ProblemCard } from '../problem-card.tsx';
import { useAct } from '../use-act.ts';
import { ChangeProviderDialog, type Provider } from './change-provider-dialog.tsx';
import { ConsentPlace } from './consent-place.tsx';
import { Contracts } from './contracts.tsx';
import { StaffOrganisations } from './staff-organisations.tsx';

export function ProviderPage() {
  const { t } = useTranslation();
  const { guid = '' } = useParams({ strict: false });
  return (
    <LoadedScreen query={useProvider(guid)}>
      {(provider) => (
        <Page title={provider.name}>
          <p className="quiet">
            {provider.region}
            {provider.status === 'inactive' && ` · ${t('admin.providers.inactive')}`}
          </p>
          <p>
            <Link to="/admin/letters" search={{ provider: guid }}>
              {t('admin.providers.letters')}
            </Link>
          </p>
          <ChangeProvider provider={provider} />
          <Sending guid={guid} />
          <Contracts guid={guid} />
          <ConsentPlace provider={provider} />
          <StaffOrganisations guid={guid} />
          <DeliveryList guid={guid} />
        </Page>
      )}
    </LoadedScreen>
  );
}

function ChangeProvider({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <p className="actions">
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('admin.providers.changeButton')}
      </Button>
      {isOpen && <ChangeProviderDialog provider={provider} onClose={() => setOpen(false)} />}
    </p>
  );
}

function Sending({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  return (
    <Loaded query={useEndpoint(guid)}>
      {(endpoint) => (
        <>
          {endpoint === null ? (
            <Empty>{t('admin.providers.noEndpoint')}</Empty>
          ) : (
            <EndpointCard guid={guid} endpoint={endpoint} />
          )}
          {endpoint?.is_hosted !== true && <Address guid={guid} endpoint={endpoint} />}
        </>
      )}
    </Loaded>
  );
}

interface AddressProps {
  readonly guid: string;
  readonly endpoint: Endpoint | null;
}

/** The address is set or changed, and sending is stopped and begun. A new endpoint's secret is shown once. */
function Address({ guid, endpoint }: AddressProps) {
  const { t } = useTranslation();
  const [url, setUrl, drop] = useKept(`endpoint-${guid}`, endpoint?.url ?? '');
  const [secret, setSecret] = useState<string>();
  const put = useAct(
    (body: { url: string; enabled: boolean }) =>
      read(dispatch.PUT('/api/v1/providers/{provider_guid}/endpoint', { ...atProvider(guid), body })),
    {
      changes: ['endpoint'],
      onDone: (made) => {
        drop();
        setSecret('secret' in made ? String(made.secret) : undefined);
      },
    },
  );
  const isEnabled = endpoint?.enabled ?? true;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (url.trim() !== '') put.mutate({ url: url.trim(), enabled: isEnabled });
  };
  return (
    <form onSubmit={submit}>
      <div className="search-form">
        <TextInput
          type="url"
          label={t('admin.providers.address')}
          value={url}
          autoComplete="off"
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          disabled={url.trim() === '' || url.trim() === endpoint?.url}
          loading={put.isPending}
        >
          {t(endpoint === null ? 'admin.providers.begin' : 'admin.providers.change')}
        </Button>
        {endpoint !== null && (
          <Button
            variant="default"
            loading={put.isPending}
            onClick={() => put.mutate({ url: endpoint.url, enabled: !isEnabled })}
          >
            {t(isEnabled ? 'admin.providers.stop' : 'admin.providers.resume')}
          </Button>
        )}
      </div>
      {put.error !== null && <ProblemCard error={put.error} />}
      {secret !== undefined && (
        <ShownOnce
          title={t('admin.providers.secret')}
          lead={t('admin.providers.once')}
          text={secret}
          label={t('admin.providers.secret')}
          kept={t('admin.keys.kept')}
          onKept={() => setSecret(undefined)}
        />
      )}
    </form>
  );
}
