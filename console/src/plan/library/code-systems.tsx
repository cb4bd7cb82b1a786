// The code systems of the library. Each is renamed in its place, or deleted while it has no concept. Its address and
// version are what concepts and published plans name it by: they stay.
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useOpenWhereKept } from '../../app/use-kept.ts';
import type { Part } from '../../shared/change/parts.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { ChangeButton } from './change/change-button.tsx';
import { ChangeForm } from './change/change-form.tsx';
import { RemoveButton } from './change/remove-button.tsx';
import { useChangeForm } from './change/use-change-form.ts';
import { type CodeSystem, useLibraries } from './library-queries.ts';

export function CodeSystems() {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="code-systems">
      <h3 id="code-systems">{t('planner.codeSystems.title')}</h3>
      <Loaded query={useLibraries()}>
        {({ data }) => (
          <ul className="cards">
            {data.map((system) => (
              <CodeSystemCard key={system.canonical_lib_guid} system={system} />
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function CodeSystemCard({ system }: { readonly system: CodeSystem }) {
  const { t } = useTranslation();
  const [isChanging, setChanging] = useOpenWhereKept(changeName(system));
  const { name, url, version } = system;
  return (
    <li className="card">
      <strong>{name}</strong>
      <p className="quiet">
        <code>{url}</code>
        {version !== null && `, ${t('planner.library.version', { version })}`}
      </p>
      {isChanging ? (
        <Rename system={system} onClose={() => setChanging(false)} />
      ) : (
        <p className="actions">
          <ChangeButton title={name} onClick={() => setChanging(true)} />
          <RemoveButton
            path={pathOf(system)}
            version={system.revision}
            title={name}
            effect={t('planner.codeSystems.removeEffect')}
          />
        </p>
      )}
    </li>
  );
}

function pathOf({ canonical_lib_guid: guid }: CodeSystem): string {
  return `/canonical-libs/${guid}`;
}

function changeName({ canonical_lib_guid: guid }: CodeSystem): string {
  return `change-code-system-${guid}`;
}

function Rename({ system, onClose }: { readonly system: CodeSystem; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const parts: readonly Part<CodeSystem>[] = [
    { field: 'name', label: t('planner.concepts.libraryName'), words: ({ name }) => name },
  ];
  const { form, opened, change, close, store } = useChangeForm({
    name: changeName(system),
    record: system,
    formOf: ({ name }: CodeSystem) => ({ name }),
    path: pathOf(system),
    versionOf: ({ revision }) => revision,
    parts,
    onClose,
  });
  const name = form.name.trim();
  const changes = { name };
  return (
    <ChangeForm<CodeSystem> {...{ change: store, parts, opened, changes }} isReady={name !== ''} onClose={close}>
      <TextInput
        label={t('planner.concepts.libraryName')}
        description={t('planner.codeSystems.hint')}
        value={form.name}
        maxLength={200}
        onChange={({ currentTarget }) => change({ name: currentTarget.value })}
      />
    </ChangeForm>
  );
}
