// How fast each service responds, address by address: the slowest of one service first. The figures are those of one
// process since it started.
import { NativeSelect } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { numberText } from '../../i18n/format.ts';
import { ScrollTable } from '../../shared/scroll-table.tsx';
import { Empty } from '../../shell/page.tsx';
import { type Routes, SERVICES, type ServiceName } from './state.ts';

const FEW = 10;
const MOST = 200;

interface LatencyProps {
  readonly routes: Readonly<Record<ServiceName, Routes | undefined>>;
}

export function Latency({ routes }: LatencyProps) {
  const { t } = useTranslation();
  const { service: named, all } = useSearch({ strict: false }) as { service?: unknown; all?: unknown };
  const navigate = useNavigate();
  const service = SERVICES.find((each) => each === named) ?? 'engine';
  const sorted = [...(routes[service] ?? [])].sort((a, b) => b.p95_ms - a.p95_ms);
  const shown = sorted.slice(0, all === true ? MOST : FEW);
  return (
    <>
      <div className="filters">
        <NativeSelect
          label={t('operate.latency.service')}
          value={service}
          data={SERVICES.map((each) => ({ value: each, label: each }))}
          onChange={({ currentTarget }) =>
            void navigate({ to: '.', search: { service: currentTarget.value }, replace: true, resetScroll: false })
          }
        />
      </div>
      {sorted.length === 0 ? <Empty>{t('operate.latency.none')}</Empty> : <RouteTable routes={shown} />}
      {sorted.length > shown.length && shown.length < MOST && (
        <button
          type="button"
          className="plain-button"
          onClick={() => void navigate({ to: '.', search: { service, all: true }, replace: true, resetScroll: false })}
        >
          {t('operate.latency.all', { count: sorted.length })}
        </button>
      )}
    </>
  );
}

function RouteTable({ routes }: { readonly routes: Routes }) {
  const { t } = useTranslation();
  const ms = (value: number) => numberText(Math.round(value * 10) / 10);
  return (
    <ScrollTable
      label={t('operate.health.latency')}
      caption={t('operate.latency.caption')}
      className="routes"
      head={[
        t('operate.latency.route'),
        t('operate.latency.count'),
        t('operate.latency.p50'),
        t('operate.latency.p95'),
        t('operate.latency.errors'),
      ]}
    >
      {routes.map(({ method, route, count, p50_ms: p50, p95_ms: p95, errors }) => (
        <tr key={`${method} ${route}`}>
          <th scope="row">
            <code>
              {method} {route}
            </code>
          </th>
          <td>{numberText(count)}</td>
          <td>{ms(p50)}</td>
          <td>{ms(p95)}</td>
          <td className={errors > 0 ? 'bad' : undefined}>{numberText(errors)}</td>
        </tr>
      ))}
    </ScrollTable>
  );
}
