// The palette: what is typed narrows the commands, and finds what the faces of who is signed in can find. Arrows
// choose, Enter opens, Escape closes (w3.org/WAI/ARIA/apg/patterns/combobox).
import { TextInput, useMantineColorScheme } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { chooseLanguage, currentLanguage } from '../i18n/i18n.ts';
import { OptionList, optionId } from '../shared/fields/option-list.tsx';
import { useDebounced } from '../shared/use-debounced.ts';
import { Dialog } from '../shell/dialog.tsx';
import { ErrorCard } from '../shell/error-card.tsx';
import { facesOf } from '../shell/faces.ts';
import { type Me, useMe } from '../shell/me.ts';
import { type Command, commandsOf, isMatch, type Words } from './commands.ts';
import { distinct, type Found, foundBy } from './found.ts';

const SHORTEST = 2;
const MOST_SHOWN = 40;

type Target = Pick<Command, 'to' | 'hash' | 'run'> & Pick<Partial<Found>, 'search'>;

interface Entry {
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  open(): void;
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const { data: me } = useMe();
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const [isAwaited, setAwaited] = useState(false);
  const list = useId();
  const text = useDebounced(typed.trim());
  const found = useFound(me, text);
  const openOf = useOpen(onClose);
  const commands = useCommands(me).filter(({ label }) => isMatch(typed, label));
  const isCurrent = !found.isPlaceholderData && text === typed.trim();
  const entries: readonly Entry[] = [
    ...commands.map((command) => ({
      key: command.id,
      label: command.label,
      detail: command.detail,
      open: openOf(command),
    })),
    ...(typed.trim().length < SHORTEST ? [] : (found.data ?? [])).map((each) => ({
      key: `${each.kind} ${each.id}`,
      label: each.label,
      detail: [t(`palette.kind.${each.kind}`), ...(each.detail === undefined ? [] : [each.detail])].join(', '),
      open: openOf(each),
    })),
  ].slice(0, MOST_SHOWN);
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const next = (active + step + entries.length) % Math.max(entries.length, 1);
      setActive(next);
      document.getElementById(optionId(list, next))?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      // What was found for another text is not taken for it: what is typed now is waited for.
      if (active < commands.length || isCurrent) entries[active]?.open();
      else setAwaited(true);
    }
  };
  useEffect(() => {
    if (!isAwaited || !isCurrent || found.data === undefined) return;
    setAwaited(false);
    entries[active]?.open();
  });
  const isWaiting = typed.trim().length >= SHORTEST && (found.isFetching || !isCurrent);
  return (
    <Dialog title={t('palette.title')} onClose={onClose}>
      <TextInput
        label={t('palette.label')}
        description={t('palette.hint')}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={entries[active] === undefined ? undefined : optionId(list, active)}
        autoComplete="off"
        maxLength={200}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setActive(0);
          setAwaited(false);
        }}
        onKeyDown={press}
      />
      <OptionList
        id={list}
        label={t('palette.title')}
        className="palette-list"
        options={entries}
        active={active}
        onTake={(entry) => entry.open()}
      />
      <p className="quiet" role="status">
        {isWaiting ? t('shell.loading') : entries.length === 0 ? t('palette.none') : ''}
      </p>
      {found.error !== null && <ErrorCard error={found.error} />}
    </Dialog>
  );
}

/** Asked once when the typing pauses, and given up when more is typed. */
function useFound(me: Me | undefined, text: string) {
  return useQuery({
    queryKey: ['palette', text],
    queryFn: async ({ signal }): Promise<Found[]> => {
      if (me === undefined) return [];
      const searches = facesOf(me).flatMap(({ search }) => search ?? []);
      return distinct(await foundBy(searches.map(async (load) => (await load())(text, signal, me))));
    },
    enabled: me !== undefined && text.length >= SHORTEST,
    placeholderData: keepPreviousData,
    // What was found is about patients, and is not kept.
    gcTime: 0,
  });
}

function useCommands(me: Me | undefined): Command[] {
  const { t } = useTranslation();
  const { setColorScheme } = useMantineColorScheme();
  if (me === undefined) return [];
  const words: Words = {
    face: (name) => t(`face.${name}`),
    screen: (name) => t(`screen.${name}`),
    shortcut: (name) => t(`palette.shortcut.${name}`),
  };
  const detail = t('palette.setting');
  const schemes = (['auto', 'light', 'dark'] as const).map((scheme) => ({
    id: `scheme ${scheme}`,
    label: t(`shell.scheme.${scheme}`),
    detail,
    run: () => setColorScheme(scheme),
  }));
  const other = currentLanguage() === 'sv' ? 'en' : 'sv';
  return [
    ...commandsOf(facesOf(me), me, words),
    { id: 'language', label: t('shell.otherLanguage'), detail, run: () => void chooseLanguage(other) },
    ...schemes,
    { id: 'sign-out', label: t('shell.signOut'), detail, run: signOut },
  ];
}

function signOut(): void {
  document.querySelector<HTMLFormElement>('form[action="/auth/logout"]')?.requestSubmit();
}

function useOpen(onClose: () => void): (target: Target) => () => void {
  const navigate = useNavigate();
  return ({ to, hash = '', search = {}, run }) =>
    () => {
      onClose();
      if (to === undefined) run?.();
      else void navigate({ to, search, hash });
    };
}
