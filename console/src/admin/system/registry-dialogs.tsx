// A registered service is made, changed or removed. The registry is replaced as a whole, unless somebody else has
// changed it since it was read.
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { identity, read } from '../../api/clients.ts';
import { Problem } from '../../api/problem.ts';
import { ActDialog } from '../act-dialog.tsx';
import { useAct } from '../use-act.ts';
import type { RegisteredService, Registry } from './queries.ts';

const FIELDS = [
  ...(['service_name', 'service_url', 'api_health_url', 'capability_statement_url'] as const),
  ...(['endpoints_url', 'privilege_level', 'notes'] as const),
] as const;
const EMPTY: RegisteredService = {
  service_name: '',
  service_url: '',
  api_health_url: '',
  capability_statement_url: '',
  endpoints_url: '',
  privilege_level: '',
  notes: '',
};
const CHANGED = 412;

interface DialogProps {
  readonly registry: Registry;
  /** The place in the registry; one past its end for a new service. */
  readonly at: number;
  readonly onClose: () => void;
}

function useReplace({ tag }: Registry, onDone: () => void) {
  return useAct<unknown, RegisteredService[]>(
    (body) =>
      read(
        identity.PUT('/api/admin/oath-overview', {
          body,
          ...(tag === undefined ? {} : { headers: { 'if-match': tag } }),
        }),
      ),
    { changes: ['service-registry'], onDone },
  );
}

function Conflict({ error }: { readonly error: Error | null }) {
  const { t } = useTranslation();
  if (!(error instanceof Problem) || error.status !== CHANGED) return null;
  return <p role="alert">{t('system.services.conflict')}</p>;
}

export function RowDialog({ registry: now, at, onClose }: DialogProps) {
  const { t } = useTranslation();
  // What is typed replaces the version that it was made from, though the registry is read again meanwhile.
  const [registry] = useState(now);
  const [row, setRow] = useState(registry.rows[at] ?? EMPTY);
  const replace = useReplace(registry, onClose);
  const rows = [...registry.rows.slice(0, at), row, ...registry.rows.slice(at + 1)];
  return (
    <ActDialog
      title={t(at < registry.rows.length ? 'system.services.changeTitle' : 'system.services.addTitle')}
      confirm={t('system.services.save')}
      act={{ ...replace, mutate: () => replace.mutate(rows) }}
      onClose={onClose}
      isReady={row.service_name.trim() !== ''}
    >
      {FIELDS.map((field) => (
        <TextInput
          key={field}
          mt="sm"
          label={t(`system.field.${field}`)}
          value={row[field]}
          maxLength={2000}
          autoComplete="off"
          onChange={({ currentTarget }) => setRow({ ...row, [field]: currentTarget.value })}
        />
      ))}
      <Conflict error={replace.error} />
    </ActDialog>
  );
}

export function RemoveDialog({ registry: now, at, onClose }: DialogProps) {
  const { t } = useTranslation();
  // The place is one of the version that was shown when the button was pressed.
  const [registry] = useState(now);
  const replace = useReplace(registry, onClose);
  const rows = registry.rows.filter((_row, index) => index !== at);
  return (
    <ActDialog
      title={t('system.services.removeOf', { name: registry.rows[at]?.service_name ?? '' })}
      confirm={t('system.services.removeNow')}
      act={{ ...replace, mutate: () => replace.mutate(rows) }}
      onClose={onClose}
    >
      <p>{t('system.services.removeEffect')}</p>
      <Conflict error={replace.error} />
    </ActDialog>
  );
}
