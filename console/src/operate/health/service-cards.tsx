// Each service: its state in words, its release, since when, its database.
import { useTranslation } from 'react-i18next';
import { momentText, numberText } from '../../i18n/format.ts';
import { bytesText } from '../units.ts';
import type { DispatchStatus, EngineHealth, EngineStatus, IdentityStatus, ServiceState } from './state.ts';

interface ServiceCardsProps {
  readonly states: readonly ServiceState[];
  readonly identity: IdentityStatus | undefined;
  readonly dispatch: DispatchStatus | undefined;
  readonly health: EngineHealth | undefined;
  readonly engine: EngineStatus | undefined;
}

interface Figures {
  readonly version: string | undefined;
  readonly startedAt: string | undefined;
  /** Of the database, in milliseconds. */
  readonly latencyMs: number | null | undefined;
}

export function ServiceCards({ states, identity, dispatch, health, engine }: ServiceCardsProps) {
  const disk = health?.checks.disk;
  return (
    <ul className="cards service-cards">
      {states.map((state) => (
        <ServiceCard
          key={state.name}
          state={state}
          figures={figuresOf(state.name, { identity, dispatch, health, engine })}
          disk={state.name === 'engine' ? disk : undefined}
        />
      ))}
    </ul>
  );
}

function figuresOf(name: string, known: Omit<ServiceCardsProps, 'states'>): Figures {
  const { identity, dispatch, health, engine } = known;
  if (name === 'engine') {
    return { version: engine?.version, startedAt: engine?.started_at, latencyMs: health?.checks.database.latency_ms };
  }
  const status = name === 'identity' ? identity : dispatch;
  return { version: status?.version, startedAt: status?.started_at, latencyMs: status?.database.latency_ms };
}

interface ServiceCardProps {
  readonly state: ServiceState;
  readonly figures: Figures;
  readonly disk: EngineHealth['checks']['disk'] | undefined;
}

function ServiceCard({ state, figures, disk }: ServiceCardProps) {
  const { t } = useTranslation();
  const { name, ready_nodes: ready, nodes, reasons } = state;
  const isWell = state.state === 'ready' && ready === nodes;
  const { version, startedAt, latencyMs } = figures;
  return (
    <li className="card">
      <div className="row">
        <h3>{name}</h3>
        <span className={isWell ? 'badge' : 'badge strong'}>
          {isWell
            ? t('operate.state.ready')
            : state.state === 'ready'
              ? t('operate.state.some', { ready, nodes })
              : t(`operate.state.${state.state}`)}
        </span>
      </div>
      {reasons.length > 0 && <p lang="en">{reasons.join('; ')}</p>}
      <dl className="facts">
        {version !== undefined && (
          <>
            <dt>{t('operate.service.version')}</dt>
            <dd>{version}</dd>
          </>
        )}
        {startedAt !== undefined && (
          <>
            <dt>{t('operate.service.since')}</dt>
            <dd>{momentText(startedAt)}</dd>
          </>
        )}
        {typeof latencyMs === 'number' && (
          <>
            <dt>{t('operate.service.database')}</dt>
            <dd>{t('operate.service.answers', { ms: numberText(Math.round(latencyMs * 10) / 10) })}</dd>
          </>
        )}
        {typeof disk?.free_bytes === 'number' && typeof disk.total_bytes === 'number' && (
          <>
            <dt>{t('operate.service.disk')}</dt>
            <dd>
              {t('operate.service.free', { free: bytesText(disk.free_bytes), total: bytesText(disk.total_bytes) })}
            </dd>
          </>
        )}
      </dl>
    </li>
  );
}
