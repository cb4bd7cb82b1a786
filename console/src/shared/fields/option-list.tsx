// The list below a combobox (w3.org/WAI/ARIA/apg/patterns/combobox). The field keeps the focus, and names the option
// that is active by its id.
interface ListedOption {
  readonly key: string;
  readonly label: string;
  readonly detail?: string | undefined;
}

interface OptionListProps<Option extends ListedOption> {
  /** The list's own, from which {@link optionId} makes those of its options. */
  readonly id: string;
  readonly label: string;
  readonly className: string;
  readonly isHidden?: boolean;
  readonly options: readonly Option[];
  /** The place of the active one. */
  readonly active: number;
  readonly onTake: (option: Option) => void;
}

export function optionId(list: string, index: number): string {
  return `${list}-${index}`;
}

export function OptionList<Option extends ListedOption>(props: OptionListProps<Option>) {
  const { id, label, className, isHidden = false, options, active, onTake } = props;
  return (
    <div className={className} id={id} role="listbox" aria-label={label} hidden={isHidden}>
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keyboard
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
        <div
          key={option.key}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          // Before the field loses the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(option)}
        >
          {option.label}
          {option.detail !== undefined && <span className="quiet"> {option.detail}</span>}
        </div>
      ))}
    </div>
  );
}
