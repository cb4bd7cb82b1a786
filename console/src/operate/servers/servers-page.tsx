// Other servers: whether they answer, and what has been carried between them and here. A synchronization is begun here,
// as a rehearsal first.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { momentText, numberText } from '../../i18n/format.ts';
import { PagedCards } from '../../shared/paged-list.tsx';
import { pageIn, useAddress } from '../../shared/use-address.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { type Server, type Sync, useServers, useSyncs } from './queries.ts';
import { SyncForm } from './sync-form.tsx';
import { shareOf } from './sync-progress.ts';
import '../operate.css';
import { useRefreshOperate } from '../use-refresh-operate.ts';

const PER_PAGE = 10;

export function ServersPage() {
  const { t } = useTranslation();
  const servers = useServers();
  return (
    <Page title={t('operate.servers.title')}>
      <p>{t('operate.servers.lead')}</p>
      <Loaded query={servers}>
        {({ servers: all }) =>
          all.length === 0 ? (
            <Empty>{t('operate.servers.none')}</Empty>
          ) : (
            <>
              <ul className="cards">
                {all.map((server) => (
                  <ServerCard key={server.name} server={server} />
                ))}
              </ul>
              <TestAll />
              <h2 id="synchronize">{t('operate.sync.new')}</h2>
              <SyncForm servers={all.filter(({ kind }) => kind === 'fhir')} />
            </>
          )
        }
      </Loaded>
      <h2>{t('operate.sync.title')}</h2>
      <Syncs />
    </Page>
  );
}

function ServerCard({ server }: { readonly server: Server }) {
  const { t } = useTranslation();
  const { name, url, kind, status, latency_ms: latency, last_success_at: success, last_failure: failure } = server;
  return (
    <li className="card">
      <div className="row">
        <strong>{name}</strong>
        <span className={status === 'down' ? 'badge strong' : 'badge'}>{t(`operate.servers.status.${status}`)}</span>
      </div>
      <p>
        <code>{url}</code> <span className="quiet">{t(`operate.servers.kind.${kind}`)}</span>
      </p>
      {success !== null && (
        <p className="quiet">
          {t('operate.servers.answered', { moment: momentText(success) })}
          {latency !== null && `, ${numberText(latency)} ms`}
        </p>
      )}
      {status === 'down' && failure !== null && <p lang="en">{failure}</p>}
    </li>
  );
}

function TestAll() {
  const { t } = useTranslation();
  const refresh = useRefreshOperate();
  const test = useMutation({
    mutationFn: () => read(engine.GET('/api/v1/servers/test-all')),
    onSuccess: refresh,
  });
  return (
    <>
      {test.error !== null && <ErrorCard error={test.error} />}
      <p className="actions">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t('operate.servers.test')}
        </Button>
      </p>
    </>
  );
}

function Syncs() {
  const { t } = useTranslation();
  const page = pageIn(useAddress()[0]);
  return (
    <PagedCards query={useSyncs(page, PER_PAGE)} perPage={PER_PAGE} none={t('operate.sync.none')}>
      {(sync) => <SyncRow key={sync.job_guid} sync={sync} />}
    </PagedCards>
  );
}

function SyncRow({ sync }: { readonly sync: Sync }) {
  const { t } = useTranslation();
  const { job_guid: guid, server, direction, state, dry_run: isRehearsal, conflict_count: conflicts } = sync;
  const share = shareOf(sync);
  const words = t(`operate.sync.of.${direction}`, { server });
  return (
    <li className="card">
      <div className="row">
        <Link to={`/operate/servers/${guid}`}>{words}</Link>
        <span className={state === 'failed' ? 'badge strong' : 'badge'}>{t(`operate.jobState.${state}`)}</span>
      </div>
      <p className="quiet">
        {momentText(sync.created_at)}
        {isRehearsal && `, ${t('operate.sync.rehearsal')}`}
      </p>
      {state === 'running' && <progress value={share} max={100} aria-label={words} />}
      {conflicts > 0 && <p className="bad">{t('operate.sync.conflicts', { count: conflicts })}</p>}
    </li>
  );
}
