// Makes a key: its name, whose records it reads, what it may do with them, and until when.
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { engine, read } from '../../api/clients.ts';
import { useKeptForm } from '../../app/use-kept.ts';
import { type Named, OrganisationPicker } from '../organisations/organisation-picker.tsx';
import { ProblemCard } from '../problem-card.tsx';
import { useProviders } from '../providers/queries.ts';
import { useAct } from '../use-act.ts';
import { refusedScopes } from './refused-scopes.ts';

const OWNERS = ['organisation', 'provider', 'none'] as const;
type Owner = (typeof OWNERS)[number];

interface NewKeyProps {
  readonly onSecret: (secret: string) => void;
}

export function NewKey({ onSecret }: NewKeyProps) {
  const { t } = useTranslation();
  const [form, change, drop] = useKeptForm('new-key', EMPTY);
  const { name, scopes, until, owner, organisation, provider } = form;
  const providers = useProviders({ per_page: 200 });
  const make = useAct(
    (body: ReturnType<typeof bodyOf>, key: string) =>
      read(engine.POST('/api/v1/api-keys', { headers: { 'idempotency-key': key }, body })),
    {
      name: 'api-key',
      changes: ['api-keys'],
      onDone: ({ key }) => {
        drop();
        setTold(false);
        onSecret(key);
      },
    },
  );
  const isOwned = owner === 'none' || (owner === 'organisation' ? organisation.length > 0 : provider !== '');
  const isNamed = name.trim() !== '';
  const [isTold, setTold] = useState(false);
  const refused = refusedScopes(make.error, scopesIn(scopes));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTold(true);
    if (isNamed && isOwned) make.mutate(bodyOf(form));
  };
  return (
    <form onSubmit={submit}>
      <h2>{t('admin.keys.new')}</h2>
      <TextInput
        label={t('admin.keys.name')}
        description={t('admin.keys.nameHint')}
        error={isTold && !isNamed ? t('admin.keys.noName') : undefined}
        value={name}
        maxLength={200}
        autoComplete="off"
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <NativeSelect
        mt="md"
        label={t('admin.keys.owner')}
        value={owner}
        onChange={({ currentTarget }) =>
          change({ owner: OWNERS.find((each) => each === currentTarget.value) ?? 'none' })
        }
        data={OWNERS.map((each) => ({ value: each, label: t(`admin.keys.of.${each}`) }))}
      />
      {owner === 'organisation' && (
        <OrganisationPicker chosen={organisation} onChange={(one) => change({ organisation: one })} isOne />
      )}
      {owner === 'provider' && (
        <NativeSelect
          mt="md"
          label={t('admin.providers.one')}
          value={provider}
          onChange={({ currentTarget }) => change({ provider: currentTarget.value })}
          data={[
            { value: '', label: t('admin.choose') },
            ...(providers.data?.data ?? []).map((each) => ({ value: each.provider_guid, label: each.name })),
          ]}
        />
      )}
      {isTold && !isOwned && (
        <p className="bad" role="alert">
          {t('admin.keys.noOwner')}
        </p>
      )}
      <Textarea
        mt="md"
        rows={3}
        label={t('admin.keys.scopes')}
        description={t('admin.keys.scopesHint')}
        error={refused === undefined ? undefined : t('admin.keys.wrongScopes', { scopes: refused.join(', ') })}
        value={scopes}
        spellCheck={false}
        onChange={({ currentTarget }) => {
          // What was refused is what was sent, by its place.
          if (refused !== undefined) make.reset();
          change({ scopes: currentTarget.value });
        }}
      />
      <TextInput
        mt="md"
        type="date"
        label={t('admin.keys.until')}
        value={until}
        onChange={({ currentTarget }) => change({ until: currentTarget.value })}
      />
      {make.error !== null && refused === undefined && <ProblemCard error={make.error} />}
      <p className="actions">
        <Button type="submit" loading={make.isPending}>
          {t('admin.keys.make')}
        </Button>
      </p>
    </form>
  );
}

interface KeyForm {
  readonly name: string;
  readonly scopes: string;
  readonly until: string;
  readonly owner: Owner;
  /** One, or none while it is not chosen. */
  readonly organisation: readonly Named[];
  readonly provider: string;
}

const EMPTY: KeyForm = { name: '', scopes: '', until: '', owner: 'organisation', organisation: [], provider: '' };

function scopesIn(typed: string): readonly string[] {
  return typed.split(/[\s,]+/).filter((scope) => scope !== '');
}

function bodyOf({ name, scopes, until, owner, organisation, provider }: KeyForm) {
  const [chosen] = organisation;
  return {
    name: name.trim(),
    scopes: [...scopesIn(scopes)],
    ...(owner === 'organisation' && chosen !== undefined ? { organisation_guid: chosen.organisation_guid } : {}),
    ...(owner === 'provider' ? { provider_guid: provider } : {}),
    ...(until === '' ? {} : { expires_at: new Date(`${until}T23:59:59`).toISOString() }),
  };
}
