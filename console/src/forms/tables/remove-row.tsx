// Takes a row of a group away.
interface RemoveRowProps {
  readonly label: string;
  readonly onRemove: () => void;
}

export function RemoveRow({ label, onRemove }: RemoveRowProps) {
  return (
    <button type="button" className="plain-button" onClick={onRemove}>
      {label}
    </button>
  );
}
