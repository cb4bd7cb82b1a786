// A field that offers what matches while somebody types. Arrows choose, Enter takes, Escape closes
// (w3.org/WAI/ARIA/apg/patterns/combobox). What is asked is asked after a pause, and given up when more is typed.
import { TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { OptionList, optionId } from './fields/option-list.tsx';
import { useDebounced } from './use-debounced.ts';

export interface Choice<Value> {
  /** Unique among the choices. */
  readonly key: string;
  readonly label: string;
  readonly detail?: string | undefined;
  readonly value: Value;
}

interface TypeAheadProps<Value> {
  readonly id?: string;
  readonly label: string;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly disabled?: boolean;
  /** What is in the field while nothing is typed: what is chosen. */
  readonly chosen: string;
  /** Said when nothing matches. */
  readonly none: string;
  /** Of the query that `find` answers; the typed text is added. */
  readonly queryKey: readonly unknown[];
  /** The best matches first; a bounded number. */
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Choice<Value>[]>;
  /** Undefined when the field was emptied. */
  readonly onChoose: (value: Value | undefined) => void;
}

export function TypeAhead<Value>(props: TypeAheadProps<Value>) {
  const { label, description, error, disabled = false, chosen, none, queryKey, find, onChoose } = props;
  const { t } = useTranslation();
  const list = useId();
  const [typed, setTyped] = useState<string>();
  const [active, setActive] = useState(0);
  const isOpen = typed !== undefined;
  const text = useDebounced((typed ?? '').trim());
  const { data, isFetching, isPlaceholderData } = useQuery({
    queryKey: [...queryKey, text],
    queryFn: ({ signal }) => find(text, signal),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  });
  const choices = isOpen ? (data ?? []) : [];
  // What matched before is shown until what is typed now has been asked, and is not taken for it.
  const isCurrent = !isPlaceholderData && text === typed?.trim();
  const choose = (choice: Choice<Value> | undefined) => {
    if (choice === undefined) return;
    setTyped(undefined);
    onChoose(choice.value);
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      if (!isOpen) setTyped('');
      else setActive((active + step + choices.length) % Math.max(choices.length, 1));
    } else if (isOpen && event.key === 'Enter') {
      event.preventDefault();
      if (isCurrent) choose(choices[active]);
    } else if (isOpen && event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      setTyped(undefined);
    }
  };
  return (
    <div className="type-ahead">
      <TextInput
        {...(props.id === undefined ? {} : { id: props.id })}
        label={label}
        description={description}
        error={error}
        disabled={disabled}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={choices[active] === undefined ? undefined : optionId(list, active)}
        autoComplete="off"
        value={typed ?? chosen}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setActive(0);
          if (currentTarget.value === '' && chosen !== '') onChoose(undefined);
        }}
        onKeyDown={press}
        onBlur={() => setTyped(undefined)}
      />
      <OptionList
        id={list}
        label={label}
        className="type-ahead-list"
        isHidden={choices.length === 0}
        options={choices}
        active={active}
        onTake={choose}
      />
      {isOpen && choices.length === 0 && (
        <p className="quiet" role="status">
          {isFetching || !isCurrent ? t('shell.loading') : none}
        </p>
      )}
    </div>
  );
}
