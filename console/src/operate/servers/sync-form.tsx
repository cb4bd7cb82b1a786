// Begins a synchronization: with whom, which types, which way. Without another choice it is a rehearsal, which changes
// nothing.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { useRequestKey } from '../../app/request-key.ts';
import { useKeptForm } from '../../app/use-kept.ts';
import { CheckBox } from '../../shared/fields/check-box.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';
import { useRefreshOperate } from '../use-refresh-operate.ts';
import type { Server } from './queries.ts';

const DIRECTIONS = ['pull', 'push', 'both'] as const;

interface Sync {
  readonly server: string;
  readonly typed: string;
  readonly direction: (typeof DIRECTIONS)[number];
  readonly isRehearsal: boolean;
}

const START: Sync = { server: '', typed: '', direction: 'pull', isRehearsal: true };

export function SyncForm({ servers }: { readonly servers: readonly Server[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useRefreshOperate();
  const key = useRequestKey('synchronize');
  const [{ server: chosen, typed, direction, isRehearsal }, change, drop] = useKeptForm('sync', START);
  const server = (servers.find(({ name }) => name === chosen) ?? servers[0])?.name ?? '';
  const types = [...new Set(typed.split(/[\s,]+/).filter((type) => type !== ''))];
  const begin = useMutation({
    mutationFn: () => {
      const body = { server, resource_types: types, direction, dry_run: isRehearsal };
      const header = { 'Idempotency-Key': key.of(body) };
      return read(engine.POST('/api/v1/synchronize', { body, params: { header } }));
    },
    onSettled: (_data, error) => key.settled(error),
    onSuccess: async ({ job_guid: guid }) => {
      drop();
      await refresh();
      await navigate({ to: `/operate/servers/${guid}` });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    begin.mutate();
  };
  if (servers.length === 0) return <p className="quiet">{t('operate.sync.noServer')}</p>;
  return (
    <form onSubmit={submit}>
      <div className="filters">
        <NativeSelect
          label={t('operate.sync.server')}
          value={server}
          data={servers.map(({ name }) => ({ value: name, label: name }))}
          onChange={({ currentTarget }) => change({ server: currentTarget.value })}
        />
        <NativeSelect
          label={t('operate.sync.direction')}
          value={direction}
          data={DIRECTIONS.map((each) => ({ value: each, label: t(`operate.sync.way.${each}`) }))}
          onChange={({ currentTarget }) =>
            change({ direction: DIRECTIONS.find((each) => each === currentTarget.value) ?? 'pull' })
          }
        />
      </div>
      <TextInput
        label={t('operate.sync.types')}
        description={t('operate.sync.typesHint')}
        value={typed}
        spellCheck={false}
        autoComplete="off"
        onChange={({ currentTarget }) => change({ typed: currentTarget.value })}
      />
      <CheckBox
        label={t('operate.sync.rehearse')}
        isChecked={isRehearsal}
        onChange={(isChecked) => change({ isRehearsal: isChecked })}
      />
      {begin.error !== null && <ErrorCard error={begin.error} />}
      <p className="actions">
        <Button type="submit" disabled={types.length === 0} loading={begin.isPending}>
          {t(isRehearsal ? 'operate.sync.beginRehearsal' : 'operate.sync.begin')}
        </Button>
      </p>
    </form>
  );
}
