// Which consents concern a provider: its place in dispatch's tree of organisations (docs/adr/0031). Without one, a
// patient who says no to another organisation says no to it too, as nobody can tell whether it is part of that one.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Organization } from 'fhir/r5';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { putJson, putNew, searchFhir } from '../../api/fhir.ts';
import type { EngineShapes } from '../../api/shapes.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { useOrganisationNames } from '../access/queries.ts';
import { type Named, OrganisationPicker } from '../organisations/organisation-picker.tsx';
import { ProblemCard } from '../problem-card.tsx';
import { useAct } from '../use-act.ts';

type Provider = EngineShapes['Provider'];

export function ConsentPlace({ provider }: { readonly provider: Provider }) {
  const { t } = useTranslation();
  const nameOf = useOrganisationNames();
  const { organisation_guid: organisation, provider_guid: own } = provider;
  // Consents name it by its organisation, where it has one.
  const guid = organisation ?? own;
  const name = organisation === null ? provider.name : nameOf(organisation);
  const place = useQuery({ queryKey: ['consent-place', guid], queryFn: ({ signal }) => readPlace(guid, signal) });
  return (
    <section aria-labelledby="consent-place">
      <h2 id="consent-place">{t('admin.place.title')}</h2>
      <Loaded query={place}>
        {(known) => (
          <>
            <Words known={known} />
            <PlaceForm guid={guid} name={name} known={known} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Words({ known }: { readonly known: Organization | null }) {
  const { t } = useTranslation();
  const nameOf = useOrganisationNames();
  const parent = parentOf(known);
  if (known === null) return <p className="note">{t('admin.place.missing')}</p>;
  return <p>{parent === undefined ? t('admin.place.ofNone') : t('admin.place.partOf', { name: nameOf(parent) })}</p>;
}

interface PlaceFormProps {
  readonly guid: string;
  readonly name: string;
  readonly known: Organization | null;
}

/** Open at once where it is missing. */
function PlaceForm({ guid, name, known }: PlaceFormProps) {
  const { t } = useTranslation();
  const nameOf = useOrganisationNames();
  const before = parentOf(known);
  const [isOpen, setOpen] = useState(known === null);
  const [guidOfParent, setParent] = useState(before);
  const parent =
    guidOfParent === undefined ? undefined : { organisation_guid: guidOfParent, name: nameOf(guidOfParent) };
  const save = useAct<void>(() => writePlace({ guid, name, known, parent }), {
    changes: ['consent-place'],
    onDone: () => setOpen(false),
  });
  if (!isOpen) {
    return (
      <p className="actions">
        <Button variant="default" onClick={() => setOpen(true)}>
          {t('admin.place.change')}
        </Button>
      </p>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <p className="quiet">{t('admin.place.hint')}</p>
      <OrganisationPicker
        chosen={parent === undefined ? [] : [parent]}
        isOne
        onChange={([next]) => setParent(next?.organisation_guid)}
      />
      {parent !== undefined && (
        <button type="button" className="plain-button" onClick={() => setParent(undefined)}>
          {t('admin.place.none')}
        </button>
      )}
      <p className="actions">
        <Button type="submit" variant="default" loading={save.isPending}>
          {t(known === null ? 'admin.place.enter' : 'admin.place.save')}
        </Button>
      </p>
      {save.error !== null && <ProblemCard error={save.error} />}
    </form>
  );
}

function parentOf(known: Organization | null): string | undefined {
  return known?.partOf?.reference?.split('/').at(-1);
}

/** Null where it has none. */
async function readPlace(guid: string, signal?: AbortSignal): Promise<Organization | null> {
  const [found] = await searchFhir<Organization>('dispatch', 'Organization', { _id: guid }, signal);
  return found ?? null;
}

/** An organisation that it is part of has to have a place itself: one that has none is entered first. */
async function writePlace({ guid, name, known, parent }: PlaceFormProps & { readonly parent: Named | undefined }) {
  if (parent !== undefined && (await readPlace(parent.organisation_guid)) === null) {
    await put({ resourceType: 'Organization', id: parent.organisation_guid, name: parent.name, active: true });
  }
  const { partOf: _before, ...kept } = known ?? { resourceType: 'Organization', id: guid, name, active: true };
  const partOf = parent && { reference: `Organization/${parent.organisation_guid}`, display: parent.name };
  await put({ ...kept, ...(partOf === undefined ? {} : { partOf }) }, known?.meta?.versionId);
}

async function put(organisation: Organization, version?: string): Promise<void> {
  const address = `/dispatch/api/v1/Organization/${organisation.id}`;
  await (version === undefined ? putNew(address, organisation) : putJson(address, organisation, version));
}
