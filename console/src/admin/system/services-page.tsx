// Which services run, in words, and the registry of services that others look up.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { timeText } from '../../i18n/format.ts';
import { ServiceCards } from '../../operate/health/service-cards.tsx';
import { useServiceStates } from '../../operate/health/state.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { type Registry, useRegistry } from './queries.ts';
import { RemoveDialog, RowDialog } from './registry-dialogs.tsx';
import '../../operate/operate.css';

export function ServicesPage() {
  const { t } = useTranslation();
  const { services, identity, dispatch, health, engine } = useServiceStates();
  return (
    <Page title={t('system.services.title')}>
      <h2>{t('system.services.own')}</h2>
      <Loaded query={services}>
        {({ services: states }) => (
          <>
            <p className="quiet">
              {t('system.services.seen', { time: timeText(new Date(services.dataUpdatedAt)) })}{' '}
              <Link to="/admin/settings">{t('system.services.settings')}</Link>
            </p>
            <ServiceCards
              states={states}
              identity={identity.data}
              dispatch={dispatch.data}
              health={health.data}
              engine={engine.data}
            />
          </>
        )}
      </Loaded>
      <h2>{t('system.services.registered')}</h2>
      <p className="quiet">{t('system.services.lead')}</p>
      <Loaded query={useRegistry()}>{(registry) => <Registered registry={registry} />}</Loaded>
    </Page>
  );
}

function Registered({ registry }: { readonly registry: Registry }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState<{ readonly act: 'change' | 'remove'; readonly at: number }>();
  const close = () => setAsking(undefined);
  const { rows } = registry;
  return (
    <>
      {rows.length === 0 && <Empty>{t('system.services.none')}</Empty>}
      <ul className="cards">
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and two may be alike
          <li key={at} className="card">
            <div className="row">
              <h3>{row.service_name}</h3>
              {row.privilege_level !== '' && <span className="badge">{row.privilege_level}</span>}
            </div>
            <p>
              <code>{row.service_url}</code>
            </p>
            {row.notes !== '' && <p className="quiet">{row.notes}</p>}
            <p className="actions">
              <Button
                variant="default"
                aria-label={t('system.services.changeOf', { name: row.service_name })}
                onClick={() => setAsking({ act: 'change', at })}
              >
                {t('system.services.change')}
              </Button>
              <Button
                variant="default"
                aria-label={t('system.services.removeOf', { name: row.service_name })}
                onClick={() => setAsking({ act: 'remove', at })}
              >
                {t('system.services.remove')}
              </Button>
            </p>
          </li>
        ))}
      </ul>
      <p className="actions">
        <Button variant="default" onClick={() => setAsking({ act: 'change', at: rows.length })}>
          {t('system.services.add')}
        </Button>
      </p>
      {asking?.act === 'change' && <RowDialog registry={registry} at={asking.at} onClose={close} />}
      {asking?.act === 'remove' && <RemoveDialog registry={registry} at={asking.at} onClose={close} />}
    </>
  );
}
