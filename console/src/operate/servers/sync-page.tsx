// One synchronization: how far it is, what it has carried over, what the two sides do not agree on. It can be stopped
// and go on.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import type { EngineShapes } from '../../api/shapes.ts';
import { momentText, numberText } from '../../i18n/format.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { LoadedScreen } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { type Sync, useSync } from './queries.ts';
import { shareOf } from './sync-progress.ts';
import '../operate.css';
import { useRefreshOperate } from '../use-refresh-operate.ts';

type Detail = EngineShapes['SyncJobDetails'];

export function SyncPage() {
  const { t } = useTranslation();
  const { guid = '' } = useParams({ strict: false }) as { guid?: string };
  return (
    <LoadedScreen query={useSync(guid)}>
      {(sync) => (
        <Page title={t(`operate.sync.of.${sync.direction}`, { server: sync.server })}>
          <p>
            <Link to="/operate/servers">{t('operate.sync.back')}</Link>
          </p>
          <Progress sync={sync} />
          <Moves sync={sync} />
          <Counts counts={sync.counts} />
          <Conflicts sync={sync} />
        </Page>
      )}
    </LoadedScreen>
  );
}

function Progress({ sync }: { readonly sync: Detail }) {
  const { t } = useTranslation();
  const { state, progress, fault, dry_run: isRehearsal } = sync;
  const { types_done: done, types_total: types, resource_type: type, seen, total } = progress;
  return (
    <div className="card">
      <div className="row">
        <strong>{t(`operate.jobState.${state}`)}</strong>
        {isRehearsal && <span className="badge">{t('operate.sync.rehearsal')}</span>}
      </div>
      {state === 'running' && <progress value={shareOf(sync)} max={100} aria-label={t('operate.sync.progress')} />}
      <p className="quiet" role="status">
        {t('operate.sync.typesDone', { done, count: types })}
        {state === 'running' && type !== null && (
          <>
            {' '}
            {total === null
              ? t('operate.sync.seen', { type, seen: numberText(seen) })
              : t('operate.sync.seenOf', { type, seen: numberText(seen), total: numberText(total) })}
          </>
        )}
      </p>
      {fault !== null && (
        <p className="bad">
          {t('operate.sync.fault')} <span lang="en">{fault}</span>
        </p>
      )}
      <dl className="facts">
        <dt>{t('operate.sync.types')}</dt>
        <dd>{sync.resource_types.join(', ')}</dd>
        <dt>{t('operate.sync.began')}</dt>
        <dd>{momentText(sync.created_at)}</dd>
        {sync.finished_at !== null && (
          <>
            <dt>{t('operate.sync.ended')}</dt>
            <dd>{momentText(sync.finished_at)}</dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** Stopping is harmless: it goes on where it was. */
function Moves({ sync: { job_guid: guid, state } }: { readonly sync: Detail }) {
  const { t } = useTranslation();
  const refresh = useRefreshOperate();
  const params = { path: { job_guid: guid } };
  const move = useMutation({
    mutationFn: (to: 'stop' | 'resume') =>
      read(
        to === 'stop'
          ? engine.POST('/api/v1/synchronize/{job_guid}/stop', { params })
          : engine.POST('/api/v1/synchronize/{job_guid}/resume', { params }),
      ),
    onSuccess: refresh,
  });
  const next = state === 'running' ? 'stop' : state === 'done' ? undefined : 'resume';
  return (
    <>
      {move.error !== null && <ErrorCard error={move.error} />}
      {next !== undefined && (
        <p className="actions">
          <Button variant="default" loading={move.isPending} onClick={() => move.mutate(next)}>
            {t(`operate.sync.${next}`)}
          </Button>
        </p>
      )}
    </>
  );
}

const OUTCOMES = ['read', 'created', 'updated', 'deleted', 'unchanged', 'skipped', 'conflicts'] as const;

function Counts({ counts }: { readonly counts: Sync['counts'] }) {
  const { t } = useTranslation();
  return (
    <>
      <h2>{t('operate.sync.carried')}</h2>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">{t('operate.sync.way.pull')}</th>
            <th scope="col">{t('operate.sync.way.push')}</th>
          </tr>
        </thead>
        <tbody>
          {OUTCOMES.map((outcome) => (
            <tr key={outcome}>
              <th scope="row">{t(`operate.sync.outcome.${outcome}`)}</th>
              <td>{numberText(counts.pull[outcome])}</td>
              <td>{numberText(counts.push[outcome])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Conflicts({ sync }: { readonly sync: Detail }) {
  const { t } = useTranslation();
  const { conflicts, conflict_count: count } = sync;
  if (count === 0) return null;
  return (
    <>
      <h2>{t('operate.sync.conflicts', { count })}</h2>
      <ul className="cards">
        {conflicts.map(({ resource_type: type, id, kind, message }) => (
          <li key={`${type}/${id}`} className="card">
            <Link to={`/developer/fhir/engine/${type}/${id}`}>{`${type}/${id}`}</Link>
            <p>{t(`operate.conflict.${kind}`)}</p>
            <p className="quiet" lang="en">
              {message}
            </p>
          </li>
        ))}
      </ul>
      {count > conflicts.length && <p className="quiet">{t('operate.sync.first', { count: conflicts.length })}</p>}
    </>
  );
}
