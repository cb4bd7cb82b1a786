// Whether everything is well, and what is stuck: first in words, then service by service, queue by queue. It is read
// again by itself while somebody looks.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { timeText } from '../../i18n/format.ts';
import { Loading } from '../../shell/loading.tsx';
import { Page } from '../../shell/page.tsx';
import { durationText } from '../units.ts';
import { type Finding, findingsOf } from './findings.ts';
import { jobKey } from './job-key.ts';
import { Latency } from './latency.tsx';
import { JobList, Queues } from './queues.tsx';
import { ServiceCards } from './service-cards.tsx';
import { useEngineMetrics, useServiceStates } from './state.ts';
import '../operate.css';

export function HealthPage() {
  const { t } = useTranslation();
  const { services, identity, dispatch, health, engine } = useServiceStates();
  const metrics = useEngineMetrics();
  const isReading = [services, identity, dispatch, health, engine].some(({ isPending }) => isPending);
  const findings = findingsOf({
    services: services.data?.services,
    identity: identity.data,
    dispatch: dispatch.data,
    health: health.data,
    engine: engine.data,
  });
  const unread = [
    ...(services.error === null ? [] : ['gateway']),
    ...(identity.error === null ? [] : ['identity']),
    ...(dispatch.error === null ? [] : ['dispatch']),
    ...((health.error ?? engine.error ?? metrics.error) === null ? [] : ['engine']),
  ];
  return (
    <Page title={t('operate.health.title')}>
      {isReading ? <Loading /> : <Verdict findings={findings} unread={unread} readAt={services.dataUpdatedAt} />}
      <h2>{t('operate.health.services')}</h2>
      <ServiceCards
        states={services.data?.services ?? []}
        identity={identity.data}
        dispatch={dispatch.data}
        health={health.data}
        engine={engine.data}
      />
      <h2 id="queues">{t('operate.health.queues')}</h2>
      <Queues identity={identity.data} dispatch={dispatch.data} health={health.data} />
      <h2>{t('operate.health.jobs')}</h2>
      {engine.data !== undefined && <JobList jobs={engine.data.jobs} />}
      <h2 id="latency">{t('operate.health.latency')}</h2>
      <Latency
        routes={{
          identity: identity.data?.requests.routes,
          dispatch: dispatch.data?.requests.routes,
          engine: metrics.data?.requests.routes,
        }}
      />
    </Page>
  );
}

interface VerdictProps {
  readonly findings: readonly Finding[];
  /** Services whose figures could not be read. */
  readonly unread: readonly string[];
  readonly readAt: number;
}

function Verdict({ findings, unread, readAt }: VerdictProps) {
  const { t } = useTranslation();
  const isWell = findings.length === 0 && unread.length === 0;
  return (
    <div className={isWell ? 'note' : 'alert'} role="status">
      <p>
        <strong>{t(isWell ? 'operate.health.well' : 'operate.health.attention')}</strong>
      </p>
      {!isWell && (
        <ul>
          {findings.map((finding) => (
            <li key={`${finding.kind} ${finding.name}`}>
              <FindingText finding={finding} />
            </li>
          ))}
          {unread.map((name) => (
            <li key={name}>{t('operate.health.unread', { name })}</li>
          ))}
        </ul>
      )}
      {readAt > 0 && <p className="small">{t('operate.health.readAt', { time: timeText(new Date(readAt)) })}</p>}
    </div>
  );
}

function FindingText({ finding }: { readonly finding: Finding }) {
  const { t } = useTranslation();
  const { kind, name = '', count = 0, seconds = 0, to } = finding;
  const shown = kind === 'failedJobs' ? t(`operate.job.${jobKey(name)}`) : name;
  return (
    <>
      {t(`operate.finding.${kind}`, { name: shown, count, age: durationText(seconds, t) })}{' '}
      {to !== undefined && <Link to={to}>{t('operate.health.show')}</Link>}
    </>
  );
}
